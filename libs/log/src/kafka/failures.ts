// Maps kafkajs errors to AppErrors. kafkajs wraps errors. The innermost error has the name that Kafka's protocol gives to the error.
import { AppError, isAppError } from '@svc-server/errors'

interface KafkaError extends Error {
  readonly type?: string
  readonly code?: string | number
}

function* causes(error: unknown): Generator<KafkaError> {
  for (let one = error; one instanceof Error; one = one.cause) yield one as KafkaError
}

/** Returns the error's name in Kafka's protocol, such as REBALANCE_IN_PROGRESS. */
export function protocolError(error: unknown): string | undefined {
  for (const { type } of causes(error)) if (typeof type === 'string') return type
  return undefined
}

export const hasName = (error: unknown, name: string): boolean => [...causes(error)].some(one => one.name === name)

/** Returns the innermost error's message. Outer errors only repeat this message and add retry counts. */
export const reasonOf = (error: unknown): string => [...causes(error)].at(-1)?.message ?? String(error)

// After one of these errors, the member must join again before it can commit. The partition's next owner repeats the unfinished work.
const membershipErrors = new Set([
  'REBALANCE_IN_PROGRESS',
  'UNKNOWN_MEMBER_ID',
  'ILLEGAL_GENERATION',
  'FENCED_INSTANCE_ID',
  'NOT_COORDINATOR_FOR_GROUP',
])
export const isMembershipLost = (error: unknown): boolean => membershipErrors.has(protocolError(error) ?? '')

/** True if the consumer has crashed and not restarted. */
export const isNotRunning = (error: unknown): boolean => reasonOf(error).includes('Consumer group was not initialized')

// These errors mean that a different process has sent InitProducerId with the same transactional id.
const epochErrors = new Set(['INVALID_PRODUCER_EPOCH', 'INVALID_PRODUCER_ID_MAPPING', 'TRANSACTION_COORDINATOR_FENCED'])
export const isProducerFenced = (error: unknown): boolean => epochErrors.has(protocolError(error) ?? '')

export const isTooLarge = (error: unknown): boolean => ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].includes(protocolError(error) ?? '')

// Only an operator can fix the causes of these errors.
const refusals = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'INVALID_TRANSACTION_TIMEOUT',
  'INVALID_SESSION_TIMEOUT',
  'INCONSISTENT_GROUP_PROTOCOL',
])
export const isRefusal = (error: unknown): boolean =>
  refusals.has(protocolError(error) ?? '') || hasName(error, 'KafkaJSSASLAuthenticationError')

/** Converts an error of kafkajs to an AppError. Returns two kinds of errors unchanged: an AppError, and an error that is a bug. */
export function toAppError(error: unknown, doing: string): Error {
  if (isAppError(error)) return error
  if (!(error instanceof Error)) return new Error(String(error))
  const inner = [...causes(error)].at(-1)!
  // kafkajs also wraps errors that are bugs.
  if (inner instanceof TypeError || inner instanceof ReferenceError || inner instanceof SyntaxError) return inner
  if (!isFromKafka(error)) return error
  const code = isRefusal(error) ? 'config_invalid' : 'log_unavailable'
  return new AppError(code, `${doing} failed: ${reasonOf(error)}.`, { reason: protocolError(error) }, { cause: error })
}

const certificateErrors = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/**
 * An error in the communication with the brokers can occur although the brokers run. For such an error, returns a sentence that names the
 * setting that is probably wrong.
 */
export function adviceOn(error: unknown): string | undefined {
  const codes = [...causes(error)].map(({ code }) => String(code))
  if (hasName(error, 'KafkaJSSASLAuthenticationError') || protocolError(error) === 'UNSUPPORTED_SASL_MECHANISM')
    return 'Check SVC_KAFKA_SASL_MECHANISM, SVC_KAFKA_SASL_USERNAME and SVC_KAFKA_SASL_PASSWORD.'
  if (codes.some(code => certificateErrors.has(code)))
    return 'Check SVC_KAFKA_TLS_CA_FILE: only certificates of the authorities in this file are trusted.'
  if (codes.includes('ERR_TLS_CERT_ALTNAME_INVALID')) return 'SVC_KAFKA_TLS_SERVER_NAME is the name that certificates of brokers must have.'
  // If the broker expects TLS or SASL and the client does not use it, the client sees only a closed connection.
  if (reasonOf(error) === 'Closed connection')
    return 'Brokers that require TLS or SASL close the connection immediately: check SVC_KAFKA_TLS_ENABLED and SVC_KAFKA_SASL_*.'
  return undefined
}

/** kafkajs throws this nameless error for a connection that was never established. */
const notConnected = 'Broker not connected'

const isFromKafka = (error: Error): boolean =>
  [...causes(error)].some(({ name, code, message }) => name.startsWith('KafkaJS') || typeof code === 'string' || message === notConnected)
