// POST /api/public/dataset-run-items adds a trace or an observation to a dataset run as an item (contract §20.8). The
// exception is events_only: an experiment consists of its spans, not of run items, so the API writes nothing. Older clients still get a
// compatible response.
import { randomUUID } from 'node:crypto'
import * as datasetRunItems from '@svc-server/api/dataset-run-items/operations'
import { isSet } from '@svc-server/api/fields/fields'
import { microsOf } from '@svc-server/api/fields/times'
import { AppError } from '@svc-server/errors'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { DatasetItem } from '@svc-server/relational/dataset-item-versions'
import { storableText } from '@svc-server/relational/json'
import { encodeRunItem, type RunItem, runItemKey } from '@svc-server/schema/run-item'
import { encodeStagedRunItem, stagedRunItemOf } from '@svc-server/schema/staged-run-item'
import { maxRecordBytes } from '@svc-server/schema/topics'
import { traceKeyOf } from '@svc-server/schema/trace-key'
import type { Acceptance } from '../../events/acceptance.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, type RequestOf, reply } from '../../request/handler.ts'
import { toMicrosecondIso } from '../../request/times.ts'
import { type LinkedTo, runIdOf, runItemIdOf } from '../../run-items/identity.ts'
import type { RunItemStores } from '../../run-items/stores.ts'
import type { RunItemPlan } from '../../work/bodies.ts'

const notFound = (what: string) => new AppError('not_found', `${what} not found`)

export const create = handle(datasetRunItems.create, async (request, deps) => {
  const { body: input, terms } = request
  const { projectId, writeMode, sdkName, sdkVersion } = terms.acceptance
  const at = isSet(input.datasetVersion) ? toMicrosecondIso(input.datasetVersion) : null
  const item = await deps.runItems.findItem(projectId, input.datasetItemId.toWellFormed(), at)
  if (item === undefined) throw notFound('Dataset item')
  const body = writeMode === 'events_only' ? compatible(input, item, terms.acceptance) : await store(request, item, deps)
  deps.sdkUsage.count({ projectId, sdkName, sdkVersion, path: 'ingestion', events: writeMode === 'events_only' ? 0 : 1 })
  return reply(200, body)
})

async function store({ body: input, terms, held }: RequestOf<typeof datasetRunItems.create>, found: DatasetItem, deps: Dependencies) {
  const { acceptance } = terms
  const { projectId, receivedAtMs } = acceptance
  const stores = deps.runItems
  const linked = await linkOf(projectId, input, found, stores)
  // Checks the item's size before its texts are loaded, because items that other programs wrote can have any size.
  if (found.bytes > maxRecordBytes) throw tooLarge(found.bytes)
  held.lease.resize(held.lease.bytes + found.bytes)
  const contents = await stores.readItem(projectId, found)
  const run = await stores.ensureRun({
    id: runIdOf(projectId, found.datasetId, input.runName),
    projectId,
    datasetId: found.datasetId,
    name: input.runName,
    description: isSet(input.runDescription) ? storableText(input.runDescription) : null,
    metadata: input.metadata,
    createdAt: new Date(receivedAtMs),
  })
  if (contents === undefined || run === undefined) throw notFound('Dataset item')
  const runItem: RunItem = {
    ...acceptance,
    deleted: false,
    id: runItemIdOf(projectId, run.id, linked),
    datasetId: found.datasetId,
    datasetRunId: run.id,
    datasetRunName: run.name,
    datasetRunDescription: run.description,
    datasetRunMetadata: run.metadata,
    datasetRunCreatedAtMs: run.createdAt.getTime(),
    ...linked,
    datasetItemVersionMs: found.validFrom.getTime(),
    datasetItemInput: contents.input,
    datasetItemExpectedOutput: contents.expectedOutput,
    datasetItemMetadata: contents.metadata,
    error: null,
    createdAtMs: isSet(input.createdAt) ? Math.floor(microsOf(input.createdAt)! / 1000) : receivedAtMs,
  }
  await deps.recorder.record(held, recordsOf(runItem))
  return viewOf({ ...runItem, updatedAtMs: receivedAtMs })
}

async function linkOf(
  projectId: string,
  { traceId, observationId }: RunItemPlan,
  { id }: DatasetItem,
  stores: RunItemStores,
): Promise<LinkedTo> {
  const observation = isSet(observationId) ? observationId : null
  const trace = isSet(traceId) ? traceId : await stores.traceOf(projectId, observation!)
  if (trace === undefined) throw notFound('Observation')
  return { datasetItemId: id, traceId: trace, observationId: observation }
}

/** Returns the response in `events_only`. `runIdOf` computes the run id from the run's name, so all items of a run get the same id. */
function compatible(
  { runName, traceId, observationId, createdAt }: RunItemPlan,
  item: DatasetItem,
  { projectId, receivedAtMs }: Acceptance,
) {
  return viewOf({
    id: randomUUID(),
    datasetRunId: runIdOf(projectId, item.datasetId, runName),
    datasetRunName: runName,
    datasetItemId: item.id,
    traceId: isSet(traceId) ? traceId : '',
    observationId: isSet(observationId) ? observationId : null,
    createdAtMs: isSet(createdAt) ? Math.floor(microsOf(createdAt)! / 1000) : receivedAtMs,
    updatedAtMs: receivedAtMs,
  })
}

type Viewed = Pick<RunItem, 'id' | 'datasetRunId' | 'datasetRunName' | 'datasetItemId' | 'traceId' | 'observationId' | 'createdAtMs'>

const viewOf = ({
  id,
  datasetRunId,
  datasetRunName,
  datasetItemId,
  traceId,
  observationId,
  ...times
}: Viewed & { updatedAtMs: number }) => ({
  ...{ id, datasetRunId, datasetRunName, datasetItemId, traceId, observationId },
  createdAt: new Date(times.createdAtMs).toISOString(),
  updatedAt: new Date(times.updatedAtMs).toISOString(),
})

const tooLarge = (bytes: number) =>
  new AppError(
    'body_too_large',
    `The run item and its dataset item have ${bytes} bytes together; a record can have at most ${maxRecordBytes}.`,
  )

function recordOf(item: RunItem): NewRecord {
  const key = Buffer.from(runItemKey(item))
  const value = encodeRunItem(item)
  if (key.length + value.length > maxRecordBytes) throw tooLarge(value.length)
  return { key, value }
}

/**
 * Returns a record for the row in v3's table. In `dual`, it also returns a record for the topic of the spans. The propagator adds the
 * fields of this record to the trace's spans, whether the record or the spans arrive first (ADR 0026).
 */
const recordsOf = (item: RunItem): Readonly<Record<string, readonly NewRecord[]>> => ({
  [topicNames.runItems]: [recordOf(item)],
  [topicNames.staging]:
    item.writeMode === 'dual' ? [{ key: Buffer.from(traceKeyOf(item)), value: encodeStagedRunItem(stagedRunItemOf(item)) }] : [],
})
