import { expect, test } from 'vitest'
import { toldToCommands } from './settings.ts'

test('commands get only the variables for the stores and the write mode of the services', () => {
  const ofCommands = {
    SVC_MIGRATION_V4_WRITE_MODE: 'dual',
    SVC_TOPIC_PREFIX: 'other.',
    SVC_KAFKA_TLS_ENABLED: 'true',
    COLUMNSTORE_REQUEST_TIMEOUT_MS: '10m',
    COLUMNSTORE_CLUSTER_ENABLED: 'true',
  }
  expect(toldToCommands({ ...ofCommands, SVC_INIT_PROJECT_SECRET_KEY: 'sk', SVC_BACKFILL_MAX_ROWS: '1000' })).toEqual(ofCommands)
})
