// Compares the results of the legacy reads with the results of an in-memory model of the specification.
import { beforeAll } from 'vitest'
import type { Instance } from './instance.ts'
import { compareLegacyReads } from './oracle/compare-legacy.ts'
import { adminKey } from './oracle/projects.ts'
import { fileHasAnInstance, start } from './restarted.ts'

fileHasAnInstance()
let instance: Instance
beforeAll(async () => {
  const settings = { ADMIN_API_KEY: adminKey, SVC_CATALOG_REFRESH_MS: '1000', SVC_PROPAGATION_WINDOW_SECONDS: '2' }
  instance = await start({ writeMode: 'dual', behaviour: 'dual_write', optIn: 'true' }, settings)
}, 200_000)

compareLegacyReads(() => instance, { seed: 3131, traces: 300, scores: 900, queries: 200 })
