// Compares the results of the API's reads with the results of an in-memory model of the specification.
import { beforeAll } from 'vitest'
import type { Instance } from './instance.ts'
import { compareWithSheets } from './oracle/compare.ts'
import { adminKey } from './oracle/projects.ts'
import { fileHasAnInstance, start } from './restarted.ts'

fileHasAnInstance()
let instance: Instance
beforeAll(async () => {
  const mode = { writeMode: 'events_only', behaviour: 'direct', optIn: 'true' }
  instance = await start(mode, { ADMIN_API_KEY: adminKey, SVC_CATALOG_REFRESH_MS: '1000', SVC_SPAN_MAX_AGE_MONTHS: '96' })
}, 200_000)

compareWithSheets(() => instance, { seed: 29, traces: 40, scores: 120, queries: 10 })
