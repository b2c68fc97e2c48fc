// The catalogue of models, prices, and prompts, read from the relational store at startup and periodically.
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import { loadCatalogueSnapshot } from '@svc-server/relational/catalogue'
import { instance } from '@svc-server/relational/tenancy'
import { setting } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { createCatalogueRefresh } from './catalogue-refresh.ts'
import { relational } from './relational.ts'

const refreshMs = setting.durationMs({
  env: 'SVC_CATALOGUE_REFRESH_MS',
  default: '1m',
  min: 1_000,
  max: 86_400_000,
  says: 'How often models, prices and prompts are read again. A change applies from the next chunk on.',
})

/** A function that returns the newest snapshot. */
export const catalogue: Store<() => CatalogueSnapshot> = defineStore({
  name: 'The relational store',
  needs: { relational },
  variables: { refreshMs },
  open: async ({ refreshMs }, { relational }, { logger }) => {
    const refresh = createCatalogueRefresh({ load: () => loadCatalogueSnapshot(instance(relational)), intervalMs: refreshMs, logger })
    await refresh.start()
    return { store: refresh.current, close: refresh.stop }
  },
})
