// Ids of runs and run items are derived from their content, so that a retry gives the same ids, in every write mode.
import { createHash } from 'node:crypto'

const digest = (parts: readonly (string | null)[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** Returns the id of a run. Clients set the same id as `svc.experiment.id` on their spans (contract §2.4). */
export const runIdOf = (projectId: string, datasetId: string, runName: string): string =>
  digest(['svc-experiment-v1', projectId, datasetId, runName]).slice(0, 16)

export interface LinkedTo {
  readonly datasetItemId: string
  readonly traceId: string
  readonly observationId: string | null
}

export function runItemIdOf(projectId: string, runId: string, { datasetItemId, traceId, observationId }: LinkedTo): string {
  const hex = digest(['svc-run-item-v1', projectId, runId, datasetItemId, traceId, observationId])
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
