// The services of the chart, with the data that the chart needs.
import type { ServiceDefinition } from '../../libs/service/src/definition/index.ts'
import { backfillRunner } from '../../services/backfill-runner/src/service.ts'
import { eventsWriter } from '../../services/events-writer/src/service.ts'
import { merger } from '../../services/merger/src/service.ts'
import { otlpGateway } from '../../services/otlp-gateway/src/service.ts'
import { publicApi } from '../../services/public-api/src/service.ts'
import { stagingPropagator } from '../../services/staging-propagator/src/service.ts'

export interface Component {
  readonly key: 'publicApi' | 'gateway' | 'propagator' | 'merger' | 'writer' | 'backfill'
  readonly label: string
  readonly definition: ServiceDefinition
  readonly scales: 'by load' | 'by lag' | 'never'
}

export const components: readonly Component[] = [
  { key: 'publicApi', label: 'api', definition: publicApi, scales: 'by load' },
  { key: 'gateway', label: 'gateway', definition: otlpGateway, scales: 'by load' },
  { key: 'propagator', label: 'propagator', definition: stagingPropagator, scales: 'by lag' },
  { key: 'merger', label: 'merger', definition: merger, scales: 'never' },
  { key: 'writer', label: 'writer', definition: eventsWriter, scales: 'by lag' },
  { key: 'backfill', label: 'backfill', definition: backfillRunner, scales: 'never' },
]

const everywhere = [
  ...['SVC_BIND', 'SVC_LOG_FORMAT', 'SVC_DRAIN_GRACE_MS'],
  ...['SVC_MIGRATION_V4_WRITE_MODE', 'SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR', 'SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN'],
  ...['SVC_LOG', 'SVC_KAFKA_BROKERS', 'SVC_TOPIC_PREFIX', 'SVC_KAFKA_CREATE_TOPICS', 'SVC_TOPIC_PARTITIONS_DIRECT'],
  ...['SVC_TOPIC_PARTITIONS_STAGING', 'SVC_KAFKA_REPLICATION_FACTOR', 'SVC_KAFKA_TLS_ENABLED', 'SVC_KAFKA_TLS_CA_FILE'],
  ...['SVC_KAFKA_TLS_CERT_FILE', 'SVC_KAFKA_TLS_KEY_FILE', 'SVC_KAFKA_TLS_KEY_PASSPHRASE', 'SVC_KAFKA_TLS_SERVER_NAME'],
  ...['SVC_KAFKA_SASL_MECHANISM', 'SVC_KAFKA_SASL_USERNAME', 'SVC_KAFKA_SASL_PASSWORD'],
  ...['COLUMNSTORE_URL', 'COLUMNSTORE_USER', 'COLUMNSTORE_DB', 'COLUMNSTORE_PASSWORD', 'COLUMNSTORE_CLUSTER_ENABLED'],
  ...['COLUMNSTORE_CLUSTER_NAME', 'COLUMNSTORE_USE_LIGHTWEIGHT_UPDATE', 'DATABASE_URL'],
  ...['SVC_AUTO_POSTGRES_MIGRATION_DISABLED', 'SVC_AUTO_COLUMNSTORE_MIGRATION_DISABLED'],
  ...['SALT', 'SVC_INIT_ORG_ID', 'SVC_INIT_PROJECT_ID', 'SVC_INIT_PROJECT_PUBLIC_KEY', 'SVC_INIT_PROJECT_SECRET_KEY'],
  ...['SVC_TLS_CERT_FILE', 'SVC_TLS_KEY_FILE', 'SVC_BASE_PATH'],
  // Users cannot change ports, because the chart refers to ports by name.
  ...[
    'PORT',
    'SVC_API_PROBE_PORT',
    'SVC_OTLP_URL',
    'SVC_OTLP_PORT',
    'SVC_GATEWAY_PROBE_PORT',
    'SVC_WORKER_PORT',
    'SVC_DATA_DIR',
    'SVC_WEB_DIR',
  ],
  ...['SVC_S3_MEDIA_UPLOAD_BUCKET', 'SVC_S3_MEDIA_UPLOAD_PREFIX', 'SVC_S3_MEDIA_UPLOAD_REGION', 'SVC_S3_MEDIA_UPLOAD_ENDPOINT'],
  ...['SVC_S3_MEDIA_UPLOAD_ACCESS_KEY_ID', 'SVC_S3_MEDIA_UPLOAD_SECRET_ACCESS_KEY', 'SVC_S3_MEDIA_UPLOAD_FORCE_PATH_STYLE'],
  'SVC_MEDIA_UPLOAD',
  ...['ENCRYPTION_KEY', 'ENCRYPTION_KEYS_PREVIOUS', 'ADMIN_API_KEY', 'SVC_INIT_USER_PASSWORD', 'SVC_OIDC_CLIENT_SECRET'],
  ...['SVC_BACKFILL_PROBE_PORT', 'SVC_CANARY_URL', 'SVC_TRACES_URL', 'SVC_TRACES_HEADERS'],
]

/** Variables that templates set from other values. Users must not set them under `env`. */
export const setByTemplates: ReadonlySet<string> = new Set(everywhere)
