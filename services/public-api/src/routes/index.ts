// Every route, once. One that is added is a file beside this one, and its line here.
import type { ColumnStore } from '@svc-server/column-store/port'
import { createDeletionRequests } from '@svc-server/deletions/requests'
import type { NewRecord } from '@svc-server/log'
import type { Append } from '@svc-server/log/acknowledged'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import type { Endpoint } from '../http/endpoint.ts'
import { createRunItemStores } from '../run-items/stores.ts'
import type { CompleteUntil } from '../scores/complete-until.ts'
import { createScoreReader } from '../scores/read.ts'
import { datasetRunItemRoutes } from './dataset-run-items.ts'
import { deleteScoreRoutes } from './delete-score.ts'
import { deleteTraceRoutes } from './delete-traces.ts'
import { type HealthRoutesOptions, healthRoutes } from './health.ts'
import { ingestionRoutes } from './ingestion.ts'
import { legacyWriteRoutes } from './legacy-writes.ts'
import { projectRoutes } from './projects.ts'
import { readScoreRoutes } from './read-scores.ts'
import { removedRoutes } from './removed.ts'
import { scoreWriteRoutes } from './scores.ts'
import { createRouteTools, type RouteToolsOptions } from './tools.ts'

export interface RoutesOptions extends RouteToolsOptions, HealthRoutesOptions {
  readonly append: Append
  readonly columnStore: Pick<ColumnStore, 'query'>
  readonly relational: Pick<RelationalStore, 'db'>
  readonly keys: Pick<KeyStore, 'deleteProject'>
  readonly completeUntil: CompleteUntil
}

export function routesOf(options: RoutesOptions): readonly Endpoint[] {
  const tools = createRouteTools(options)
  const scores = createScoreReader(options.columnStore)
  const append = (topic: string, records: readonly NewRecord[]) => options.append(topic, records).acknowledged
  const deletions = createDeletionRequests({ ...options, append })
  return [
    ...healthRoutes(options),
    ...removedRoutes(options.writeMode),
    ...ingestionRoutes(tools),
    ...legacyWriteRoutes(tools),
    ...scoreWriteRoutes(tools),
    ...deleteScoreRoutes({ ...tools, keysOf: scores.keysOf, append }),
    ...readScoreRoutes({ ...tools, ...scores, completeUntil: options.completeUntil }),
    ...deleteTraceRoutes({ ...tools, deletions }),
    ...projectRoutes({ ...options, deletions }),
    ...datasetRunItemRoutes(tools, createRunItemStores(options.relational, options.columnStore)),
  ]
}
