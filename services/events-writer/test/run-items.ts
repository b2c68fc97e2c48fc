import type { NewRecord } from '@svc-server/log'
import { encodeRunItem, type RunItem } from '@svc-server/schema/run-item'
import { now, projectId, type SpansOptions } from './world.ts'

export const runItemOf = (more: Partial<RunItem> = {}): RunItem => ({
  projectId,
  apiKey: 'pk-test',
  sdkName: 'javascript',
  sdkVersion: '5.11.1',
  writeMode: 'dual',
  receivedAtMs: now,
  ingestId: 'ingest',
  deleted: false,
  id: 'run-item',
  datasetId: 'dataset',
  datasetRunId: 'run',
  datasetRunName: 'a run',
  datasetRunDescription: null,
  datasetRunMetadata: null,
  datasetRunCreatedAtMs: now - 1000,
  datasetItemId: 'item',
  datasetItemVersionMs: null,
  datasetItemInput: null,
  datasetItemExpectedOutput: null,
  datasetItemMetadata: null,
  traceId: 'trace',
  observationId: null,
  error: null,
  createdAtMs: now,
  ...more,
})

/** Creates `count` run items. The first item was created at `startMs`, and each further item `stepMs` later. */
export const runItemRecords = ({ count, startMs = now, stepMs = 1 }: SpansOptions): readonly NewRecord[] => {
  const batch = Math.random().toString(36).slice(2)
  return Array.from({ length: count }, (_, at) => {
    const item = runItemOf({ id: `${batch}-${at}`, createdAtMs: startMs + at * stepMs })
    return { key: null, value: encodeRunItem(item), partition: 0 }
  })
}
