import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import { loadCatalogSnapshot } from '@svc-server/relational/catalog'
import { instance } from '@svc-server/relational/tenancy'
import { setting } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { createCatalogRefresh } from './catalog-refresh.ts'
import { relational } from './relational.ts'

const refreshMs = setting.durationMs({
  env: 'SVC_CATALOG_REFRESH_MS',
  default: '1m',
  min: 1_000,
  max: 86_400_000,
  says: 'How often the process reads models, prices and prompts again. A changed catalog applies from the writer’s next chunk on.',
})

export const catalog: Store<() => CatalogSnapshot> = defineStore({
  name: 'The relational store',
  needs: { relational },
  variables: { refreshMs },
  open: async ({ refreshMs }, { relational }, { logger }) => {
    const refresh = createCatalogRefresh({ load: () => loadCatalogSnapshot(instance(relational)), intervalMs: refreshMs, logger })
    await refresh.start()
    return { store: refresh.current, close: refresh.stop }
  },
})
