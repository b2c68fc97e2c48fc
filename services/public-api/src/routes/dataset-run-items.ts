// POST /api/public/dataset-run-items: a trace, or one of its observations, becomes an item of a dataset's run
// (public-api-legacy.md §4.8). On events_only nothing is written: experiments are spans there, and a client of
// before gets an answer that it can go on with.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { DatasetItem } from '@svc-server/relational/dataset-items'
import { storableText } from '@svc-server/relational/json'
import { encodeRunItem, type RunItem, runItemKey } from '@svc-server/schema/run-item'
import { encodeStagedRunItem, stagedRunItemOf } from '@svc-server/schema/staged-run-item'
import { maxRecordBytes } from '@svc-server/schema/topics'
import { traceKeyOf } from '@svc-server/schema/trace-key'
import type { Acceptance } from '../events/acceptance.ts'
import { json } from '../http/answers.ts'
import type { BodyRequest, Endpoint } from '../http/endpoint.ts'
import { maxBodyBytes } from '../limits.ts'
import { type LinkedTo, runIdOf, runItemIdOf } from '../run-items/identity.ts'
import type { RunItemStores } from '../run-items/stores.ts'
import { isSet } from '../schemas/score.ts'
import { microsOf } from '../schemas/times.ts'
import type { RunItemPlan } from '../work/entity-bodies.ts'
import type { RouteTools } from './tools.ts'

const path = '/api/public/dataset-run-items'
const notFound = (what: string) => new AppError('not_found', `${what} not found`)

export function datasetRunItemRoutes(tools: RouteTools, stores: RunItemStores): readonly Endpoint[] {
  const { writeMode, recorder, sdkUsage } = tools

  async function create(request: BodyRequest) {
    const acceptance = tools.acceptanceOf(request)
    const { projectId } = acceptance
    const input = await tools.planner.plan({ kind: 'runItem', body: request.body }, projectId)
    const at = isSet(input.datasetVersion) ? toIso(input.datasetVersion) : null
    const item = await stores.findItem(projectId, input.datasetItemId.toWellFormed(), at)
    if (item === undefined) throw notFound('Dataset item')
    const answer = writeMode === 'events_only' ? compatible(input, item, acceptance) : await store(request, input, item, acceptance)
    const { sdkName, sdkVersion } = acceptance
    sdkUsage.count({ projectId, sdkName, sdkVersion, path: 'ingestion', events: writeMode === 'events_only' ? 0 : 1 })
    return json(200, answer)
  }

  async function store(request: BodyRequest, input: RunItemPlan, found: DatasetItem, acceptance: Acceptance) {
    const { projectId, receivedAtMs } = acceptance
    const linked = await linkOf(projectId, input, found)
    // Before its texts are in memory: an item of somebody else's making may be of any size.
    if (found.bytes > maxRecordBytes) throw tooLarge(found.bytes)
    request.lease.resize(request.lease.bytes + found.bytes)
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
    await recorder.record(request, recordsOf(runItem))
    return viewOf({ ...runItem, updatedAtMs: receivedAtMs })
  }

  /** What the item is of: the trace as given, or that of the observation. */
  async function linkOf(projectId: string, { traceId, observationId }: RunItemPlan, { id }: DatasetItem): Promise<LinkedTo> {
    const observation = isSet(observationId) ? observationId : null
    const trace = isSet(traceId) ? traceId : await stores.traceOf(projectId, observation!)
    if (trace === undefined) throw notFound('Observation')
    return { datasetItemId: id, traceId: trace, observationId: observation }
  }

  return [{ method: 'POST', path, kind: 'body', access: 'project', maxBytes: maxBodyBytes, answer: create }]
}

/** What the answer on events_only says: the id of the run is the same for all of its items. */
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
  new AppError('body_too_large', `The run item has ${bytes} bytes with its dataset item; a record holds ${maxRecordBytes}.`)

function recordOf(item: RunItem): NewRecord {
  const key = Buffer.from(runItemKey(item))
  const value = encodeRunItem(item)
  if (key.length + value.length > maxRecordBytes) throw tooLarge(value.length)
  return { key, value }
}

/**
 * The row of the old table, and in `dual` what its trace's spans are filled with: among them, so that windows bring
 * the two together whichever comes first (ADR 0026). Both are durable before the answer.
 */
const recordsOf = (item: RunItem): Readonly<Record<string, readonly NewRecord[]>> => ({
  [topicNames.runItems]: [recordOf(item)],
  [topicNames.staging]:
    item.writeMode === 'dual' ? [{ key: Buffer.from(traceKeyOf(item)), value: encodeStagedRunItem(stagedRunItemOf(item)) }] : [],
})

/** To the microsecond, as the store compares it. */
function toIso(time: string): string {
  const us = microsOf(time)!
  const ms = Math.floor(us / 1000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1000).padStart(3, '0')}Z`
}
