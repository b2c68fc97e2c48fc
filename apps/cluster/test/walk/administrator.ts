// Creates dataset items, projects and API keys, and sets flags of traces, directly in the stores instead of through the API.
import { type Flag, setTraceFlags } from '@svc-server/deletions/flags'
import { loadSettings } from '@svc-server/service/configuration'
import { createLogger } from '@svc-server/service/logs'
import { createStores, storeSettings, storesOf } from '@svc-server/service/store'
import { serverKeyStore, serverLog, serverRelational } from '@svc-server/stores/servers'
import type { RunningCluster } from '../../src/cluster.ts'
import { basic } from './client.ts'
import type { Mode } from './processes.ts'

export interface Administrator {
  makeDatasetItem(id: string): Promise<void>
  setFlags(traceId: string, flags: Partial<Record<Flag['name'], boolean>>, writeMode: Mode): Promise<void>
  makeProject(id: string): Promise<string>
  readonly organization: string
  close(): Promise<void>
}

export async function openAdministrator({ operatorEnv, projectId }: RunningCluster): Promise<Administrator> {
  const settings = loadSettings(storeSettings(storesOf({ serverLog, serverKeyStore })), operatorEnv, { service: 'walk' })
  const stores = createStores({ settings, tools: { logger: createLogger({ service: 'walk', level: 'silent' }), process: 'walk' } })
  const [log, relational, keys] = [await stores.open(serverLog), await stores.open(serverRelational), await stores.open(serverKeyStore)]
  const orgId = (await keys.listProjects()).find(({ id }) => id === projectId)!.orgId
  const authorizationOf = async (owner: { readonly projectId: string } | { readonly orgId: string }) => {
    const { publicKey, secretKey } = await keys.createKeyPair({ owner })
    return basic(publicKey, secretKey)
  }
  return {
    organization: await authorizationOf({ orgId }),
    async makeDatasetItem(id) {
      await relational.db.insertInto('datasets').values({ id: 'dataset', project_id: projectId, name: 'questions' }).execute()
      const item = { id, project_id: projectId, dataset_id: 'dataset', input: '{"q":"why"}', expected_output: '"because"' }
      await relational.db.insertInto('dataset_items').values(item).execute()
    },
    async setFlags(traceId, flags, writeMode) {
      const append = (topic: string, records: Parameters<typeof log.append>[1]) => log.append(topic, records)
      await setTraceFlags({ relational, append, writeMode, clock: Date.now }, { projectId, traceId, actor: 'operator', flags })
    },
    async makeProject(id) {
      await keys.createProject({ orgId, name: id, id })
      return authorizationOf({ projectId: id })
    },
    close: () => stores.close(),
  }
}
