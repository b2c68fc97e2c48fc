import { expect, test } from 'vitest'
import { toldToCommands } from './settings.ts'

test('commands are told how the services reach their stores and in which mode they write, and nothing else', () => {
  const ofCommands = {
    SVC_MIGRATION_V4_WRITE_MODE: 'dual',
    SVC_TOPIC_PREFIX: 'other.',
    SVC_KAFKA_TLS_ENABLED: 'true',
    COLUMNSTORE_REQUEST_TIMEOUT_MS: '10m',
    COLUMNSTORE_CLUSTER_ENABLED: 'true',
  }
  expect(toldToCommands({ ...ofCommands, SVC_INIT_PROJECT_SECRET_KEY: 'sk', SVC_BACKFILL_MAX_ROWS: '1000' })).toEqual(ofCommands)
})
