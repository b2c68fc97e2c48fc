// Defines every expected failure, with its class, statuses, retries and advice.
import type { GrpcCode } from './grpc-codes.ts'

/** `invalid`: the caller must change something. `transient` or `overload`: a retry can succeed. `fatal`: an operator must act. */
type ErrorClass = 'invalid' | 'transient' | 'overload' | 'fatal'

export interface ErrorDefinition {
  readonly class: ErrorClass
  readonly http: number
  readonly grpc: GrpcCode
  readonly help: string
  /** Advice for an operator who reads the error in a terminal or a log line. Null if the message suffices. Default: `help`. */
  readonly operatorHelp?: string | null
  /** The range for Retry-After, in milliseconds. The server draws a random value from this range. */
  readonly retryAfterMs?: readonly [min: number, max: number]
}

const define = <K extends string>(table: Record<K, ErrorDefinition>) => table as Readonly<Record<K, ErrorDefinition>>

export const errors = define({
  // Errors of API callers
  key_missing: {
    class: 'invalid',
    http: 401,
    grpc: 'UNAUTHENTICATED',
    help: 'Send Authorization: Basic base64(publicKey:secretKey).',
    operatorHelp: null,
  },
  key_unknown: {
    class: 'invalid',
    http: 401,
    grpc: 'UNAUTHENTICATED',
    help: 'Check the project’s public and secret key, and that they belong to this host.',
    operatorHelp: null,
  },
  key_scope: { class: 'invalid', http: 403, grpc: 'PERMISSION_DENIED', help: 'Use the key pair of a project.', operatorHelp: null },
  organization_key_wanted: {
    class: 'invalid',
    http: 403,
    grpc: 'PERMISSION_DENIED',
    help: 'Use the key pair of the organization: svc keys create --organization.',
    operatorHelp: null,
  },
  instance_key_unset: { class: 'invalid', http: 403, grpc: 'PERMISSION_DENIED', help: 'Set ADMIN_API_KEY for the public API.' },
  instance_key_unknown: {
    class: 'invalid',
    http: 401,
    grpc: 'UNAUTHENTICATED',
    help: 'Send Authorization: Bearer with the value of ADMIN_API_KEY.',
    operatorHelp: null,
  },
  // Errors of web app users
  session_missing: { class: 'invalid', http: 401, grpc: 'UNAUTHENTICATED', help: 'Sign in.', operatorHelp: null },
  sign_in_refused: {
    class: 'invalid',
    http: 401,
    grpc: 'UNAUTHENTICATED',
    help: 'Check the email address and the password. To create a sign-in link, an administrator can run svc users link.',
    operatorHelp: null,
  },
  link_refused: {
    class: 'invalid',
    http: 401,
    grpc: 'UNAUTHENTICATED',
    help: 'To create a new link, run svc users link.',
    operatorHelp: null,
  },
  origin_refused: {
    class: 'invalid',
    http: 403,
    grpc: 'PERMISSION_DENIED',
    help: 'Use the web app at this address. A program must use /api/public with a key pair.',
    operatorHelp: null,
  },
  role_missing: {
    class: 'invalid',
    http: 403,
    grpc: 'PERMISSION_DENIED',
    help: 'An owner of the organization can give you a different role.',
    operatorHelp: null,
  },
  identity_provider_unavailable: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'Try again in a moment.',
    operatorHelp: 'Check that this machine can reach SVC_OIDC_ISSUER, and that the client id and secret are correct.',
    retryAfterMs: [1000, 5000],
  },
  last_owner: { class: 'invalid', http: 403, grpc: 'PERMISSION_DENIED', help: 'Give another member the role OWNER first.' },
  sign_in_backoff: {
    class: 'overload',
    http: 429,
    grpc: 'UNAVAILABLE',
    help: 'Wait a moment before you try again.',
    operatorHelp: null,
    retryAfterMs: [1000, 60_000],
  },
  not_found: { class: 'invalid', http: 404, grpc: 'UNIMPLEMENTED', help: 'Check the path.', operatorHelp: null },
  method_not_allowed: {
    class: 'invalid',
    http: 405,
    grpc: 'UNIMPLEMENTED',
    help: 'Use a method that the Allow header lists.',
    operatorHelp: null,
  },
  request_timeout: { class: 'invalid', http: 408, grpc: 'INVALID_ARGUMENT', help: 'Send the whole request faster.', operatorHelp: null },
  content_type_unsupported: {
    class: 'invalid',
    http: 415,
    grpc: 'INVALID_ARGUMENT',
    help: 'Send application/x-protobuf or application/json.',
    operatorHelp: null,
  },
  content_encoding_unsupported: {
    class: 'invalid',
    http: 415,
    grpc: 'UNIMPLEMENTED',
    help: 'Use gzip, zstd, deflate or identity.',
    operatorHelp: null,
  },
  ingestion_version_invalid: {
    class: 'invalid',
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    help: 'Send the header x-svc-ingestion-version with 4 or a lower number, or omit the header.',
    operatorHelp: null,
  },
  sdk_too_old: {
    class: 'invalid',
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    help: 'Until you upgrade, run the server with SVC_MIGRATION_V4_WRITE_MODE=dual, which still accepts this SDK.',
    operatorHelp: null,
  },
  body_undecodable: {
    class: 'invalid',
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    help: 'Send an OTLP ExportTraceServiceRequest.',
    operatorHelp: null,
  },
  body_too_large: { class: 'invalid', http: 413, grpc: 'RESOURCE_EXHAUSTED', help: 'Send smaller batches.', operatorHelp: null },
  response_too_large: {
    class: 'invalid',
    http: 422,
    grpc: 'RESOURCE_EXHAUSTED',
    help: 'Request fewer rows, or fewer of their fields.',
    operatorHelp: null,
  },
  bad_request: { class: 'invalid', http: 400, grpc: 'INVALID_ARGUMENT', help: 'Correct the request.', operatorHelp: null },
  conflict: {
    class: 'invalid',
    http: 409,
    grpc: 'ALREADY_EXISTS',
    help: 'Choose a different name or id, or change the existing object.',
  },
  reference_missing: { class: 'invalid', http: 404, grpc: 'NOT_FOUND', help: 'Create the referenced object first.' },
  still_referenced: {
    class: 'invalid',
    http: 409,
    grpc: 'FAILED_PRECONDITION',
    help: 'First delete the objects that refer to this object.',
  },
  address_refused: {
    class: 'invalid',
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    help: 'Use a public http or https address without credentials. An address that is not public must be in SVC_OUTBOUND_ALLOWED_RANGES.',
  },
  stale: {
    class: 'invalid',
    http: 412,
    grpc: 'FAILED_PRECONDITION',
    help: 'Read the object again, and repeat the change with its new ETag in If-Match.',
    operatorHelp: null,
  },
  precondition_failed: { class: 'invalid', http: 412, grpc: 'FAILED_PRECONDITION', help: 'First set up what the operation needs.' },
  code_not_run: {
    class: 'invalid',
    http: 403,
    grpc: 'PERMISSION_DENIED',
    help: 'Use an evaluator of the type llm_as_judge.',
    operatorHelp: null,
  },
  encryption_key_missing: {
    class: 'fatal',
    http: 412,
    grpc: 'FAILED_PRECONDITION',
    help: 'Set ENCRYPTION_KEY to the same 64 hexadecimal digits in every process. The command openssl rand -hex 32 creates such digits.',
  },
  secret_unreadable: {
    class: 'fatal',
    http: 412,
    grpc: 'FAILED_PRECONDITION',
    help: 'Add to ENCRYPTION_KEYS_PREVIOUS the key that encrypted the secret, or store the secret again.',
  },
  signature_invalid: {
    class: 'invalid',
    http: 403,
    grpc: 'PERMISSION_DENIED',
    help: 'Get a new URL from POST /api/public/media or GET /api/public/media/{mediaId}.',
    operatorHelp: null,
  },
  // Errors after which a caller can retry
  overloaded: {
    class: 'overload',
    http: 429,
    grpc: 'UNAVAILABLE',
    help: 'Wait for Retry-After and send the same request again.',
    operatorHelp: 'Try again in a moment.',
    retryAfterMs: [1000, 5000],
  },
  rate_limited: {
    class: 'overload',
    http: 429,
    grpc: 'UNAVAILABLE',
    help: 'Wait for Retry-After and send the same request again.',
    operatorHelp: null,
    retryAfterMs: [1000, 60_000],
  },
  key_backoff: {
    class: 'overload',
    http: 429,
    grpc: 'UNAVAILABLE',
    help: 'Check the secret key, and wait for Retry-After before you try again.',
    operatorHelp: null,
    retryAfterMs: [1000, 60_000],
  },
  at_capacity: {
    class: 'overload',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'This process is full. Send the same request again.',
    operatorHelp: 'Try again in a moment.',
    retryAfterMs: [1000, 5000],
  },
  draining: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'This process is stopping. Send the same request again.',
    operatorHelp: 'Try again when the process has restarted.',
    retryAfterMs: [500, 2000],
  },
  log_unavailable: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'Send the same request again.',
    operatorHelp: 'Check that the event log runs, has free space and can be reached (SVC_DATA_DIR, or SVC_KAFKA_BROKERS), then try again.',
    retryAfterMs: [500, 2000],
  },
  log_full: {
    class: 'overload',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'The topic has reached its size limit because a reader is behind.',
    retryAfterMs: [2000, 10000],
  },
  relational_unavailable: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'Send the same request again.',
    operatorHelp: 'Check that the relational store runs and can be reached (SVC_DATA_DIR, or DATABASE_URL), then try again.',
    retryAfterMs: [500, 2000],
  },
  // Errors of the event log
  record_too_large: { class: 'invalid', http: 413, grpc: 'RESOURCE_EXHAUSTED', help: 'Split the record.' },
  record_undecodable: { class: 'invalid', http: 400, grpc: 'INVALID_ARGUMENT', help: 'The bytes on the topic are not a known record.' },
  offset_out_of_range: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'Retention has deleted records before they were read. An operator must decide at which offset the consumer group continues.',
  },
  dead_letter_limit: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'Most items are rejected. Fix the deployment. Unprocessed records stay on the log until then.',
  },
  log_corrupt: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'Stored records are damaged. Check the disk, restore the directory, or skip the damaged records with svc log skip.',
  },
  state_unavailable: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'The local state could not be written. Check the disk. The process retries the write.',
    retryAfterMs: [1000, 5000],
  },
  fenced: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'A different process now owns the partition. You do not need to do anything.',
    retryAfterMs: [1000, 5000],
  },
  // Errors of the column store
  column_store_unavailable: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'The column store did not respond.',
    operatorHelp: 'Check that the column store runs and can be reached (SVC_DATA_DIR, or COLUMNSTORE_URL), then try again.',
    retryAfterMs: [1000, 5000],
  },
  column_store_overloaded: {
    class: 'overload',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'The column store is overloaded and needs fewer, larger inserts.',
    retryAfterMs: [2000, 10_000],
  },
  column_store_data: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'The column store refused the rows. Run the migrations of this version.',
  },
  column_store_refused: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'The column store refuses these rows, both in one insert and one by one. Compare the limits and constraints of the column store with the schema.',
  },
  column_store_partitions: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'One insert contains rows of more months than the column store accepts in one insert. This is a defect of the writer.',
  },
  column_store_auth: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'Check COLUMNSTORE_USER, COLUMNSTORE_PASSWORD and the grants of that user.',
  },
  column_store_query: {
    class: 'invalid',
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    help: 'Run the migrations of this version. If the migrations have run, correct the query.',
  },
  // Errors of media
  blob_store_unavailable: {
    class: 'transient',
    http: 503,
    grpc: 'UNAVAILABLE',
    help: 'The media store did not respond. Send the same request again.',
    operatorHelp:
      'Check that the bucket exists and that the credentials allow reading, writing and deleting (SVC_S3_MEDIA_UPLOAD_…), or that SVC_DATA_DIR has free space, then try again.',
    retryAfterMs: [500, 2000],
  },
  media_unconfigured: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'Set SVC_S3_MEDIA_UPLOAD_BUCKET to a bucket for media.',
  },
  // Errors of verification
  not_well: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'Follow the suggestion after each arrow.' },
  not_conserved: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'See docs/runbooks/unaccounted-spans.md.' },
  // Errors at startup
  config_invalid: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'Correct the named variable.' },
  data_dir_locked: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'Stop the other instance, or choose a different SVC_DATA_DIR.' },
  port_in_use: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'Set the named variable to a free port.' },
  platform_unsupported: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'Set COLUMNSTORE_URL to a ClickHouse server.' },
  migration_failed: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'Fix the cause and start again. The migrations then continue.' },
  backfill_failed: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'See docs/runbooks/backfill.md. The command svc backfill retry-failed continues the failed step.',
  },
  query_failed: {
    class: 'transient',
    http: 500,
    grpc: 'INTERNAL',
    help: 'Check that --url is the address of the installation and that --keys belong to one of its projects, then try again.',
  },
  backfill_refused: {
    class: 'fatal',
    http: 500,
    grpc: 'INTERNAL',
    help: 'See docs/runbooks/backfill.md. The backfill starts automatically as soon as its conditions are met.',
  },
  internal: { class: 'fatal', http: 500, grpc: 'INTERNAL', help: 'This is a defect. The log of the process contains the stack trace.' },
})

export type ErrorCode = keyof typeof errors
