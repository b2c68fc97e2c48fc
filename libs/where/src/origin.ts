// Finds the origin of a stored observation. The observation's row contains the position of its record on the log.
import type { ColumnStore } from '@svc-server/column-store/port'
import { isAppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import type { ExplainedSpan } from '@svc-server/observations/block/explain'
import { singleSpans } from '@svc-server/otlp/cut'
import { inflateBody } from '@svc-server/otlp/inflate'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import type { CatalogContent } from '@svc-server/pricing/snapshot'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import { explainInThread } from './explain-in-thread.ts'
import { spanBatchOf } from './spans-of-trace.ts'

interface LogPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Position of the span in its request. */
  readonly index: number
}

export interface Origin {
  readonly observationId: string
  readonly traceId: string
  /** Position of the span on the log. Null for rows of the legacy API and the backfill. */
  readonly place: LogPlace | null
  readonly storedMs: number
  readonly source: string
  readonly apiKey: string
  readonly sdk: { readonly name: string; readonly version: string }
  /** Time at which the gateway received the request, in milliseconds since the epoch. Null if `columns` is null. */
  readonly receivedMs: number | null
  /** For each column: how the current rules compute it. If `columns` is null, `message` contains the reason. */
  readonly columns: ExplainedSpan['columns'] | null
  readonly notes: ExplainedSpan['notes']
  readonly message: string
}

export interface OriginOptions {
  readonly log: Pick<EventLog, 'read'>
  readonly columnStore: Pick<ColumnStore, 'query'>
  readonly projectId: string
  readonly observationId: string
  /** Id of the trace, needed if several traces of the project contain this observation id. Without a trace id, the newest row is used. */
  readonly traceId?: string | undefined
  readonly catalog: () => Promise<CatalogContent>
  readonly brandAliases: readonly string[]
  readonly signal?: AbortSignal | undefined
}

type Row = Readonly<Record<'trace_id' | 'path' | 'source' | 'key' | 'sdk_name' | 'sdk_version' | 'stored', string>>

const sqlOf = (ofTrace: string) => `
SELECT trace_id, blob_storage_file_path AS path, source, ingestion_api_key AS key, ingestion_sdk_name AS sdk_name,
  ingestion_sdk_version AS sdk_version, toUnixTimestamp64Milli(event_ts) AS stored
FROM events_core WHERE project_id = {projectId:String} AND span_id = {observationId:String}${ofTrace} AND is_deleted = 0
ORDER BY event_ts DESC LIMIT 1 SETTINGS max_execution_time = 10`

/** Maximum size of a record, both compressed and decompressed. */
const maxBytes = 64 << 20
const maxAgeMonths = 1_200

/** Resolves with undefined if the observation is not stored. Rejects with errors column_store_* or log_*. */
export async function originOf(options: OriginOptions): Promise<Origin | undefined> {
  const { columnStore, projectId, observationId, traceId, signal } = options
  const sql = sqlOf(traceId === undefined ? '' : ' AND trace_id = {traceId:String}')
  const [row] = await columnStore.query<Row>(
    sql,
    { projectId, observationId, ...(traceId !== undefined && { traceId }) },
    signal && { signal },
  )
  if (row === undefined) return undefined
  const place = placeIn(row.path)
  const known = {
    ...{ observationId, traceId: row.trace_id, place, storedMs: Number(row.stored), source: row.source, apiKey: row.key },
    sdk: { name: row.sdk_name, version: row.sdk_version },
  }
  return { ...known, ...(await explained(place, options)) }
}

type Explained = Pick<Origin, 'columns' | 'notes' | 'receivedMs' | 'message'>

const unexplained = (message: string): Explained => ({ columns: null, notes: [], receivedMs: null, message })

async function explained(place: LogPlace | null, options: OriginOptions): Promise<Explained> {
  if (place === null)
    return unexplained('The row names no record of the log, because it was created from events of the legacy API or by the backfill.')
  const at = `${place.topic}/${place.partition}/${place.offset}`
  const batch = await batchAt(place, options)
  if (batch === undefined) return unexplained(`The log no longer retains ${at}.`)
  if (batch === null || batch.projectId !== options.projectId)
    return unexplained(`${at} is now a different record, because the log was recreated.`)
  const span = await explainSpan(batch, place.index, options)
  if (span?.columns['span_id']?.value !== options.observationId)
    return unexplained(`${at} contains a different span at index ${place.index}.`)
  // The mapping received only this span and not its record, so it computed a wrong path. The path is replaced by the span's position on
  // the log.
  const { blob_storage_file_path: path, ...columns } = span.columns
  return {
    columns: path === undefined ? columns : { ...columns, blob_storage_file_path: { ...path, value: `${at}#${place.index}` } },
    notes: span.notes,
    receivedMs: batch.receivedAtMs,
    message: `The values were computed again from the record ${at}, with the rules of this release.`,
  }
}

/** Parses the writer's format: `topic/partition/offset#index`. */
function placeIn(path: string): LogPlace | null {
  const [, topic, partition, offset, index] = /^([\w.]+)\/(\d+)\/(\d+)#(\d+)$/.exec(path) ?? []
  return topic === undefined ? null : { topic, partition: Number(partition), offset: Number(offset), index: Number(index) }
}

/** Resolves with undefined if the record is no longer on the log, and with null if it contains no spans. */
async function batchAt({ topic, partition, offset }: LogPlace, { log }: OriginOptions): Promise<SpanBatch | null | undefined> {
  try {
    const { records } = await log.read(topic, partition, offset, 1)
    const value = records.find(record => record.offset === offset)?.value
    return value === undefined || value === null ? undefined : spanBatchOf(value)
  } catch (error) {
    if (isAppError(error) && error.code === 'offset_out_of_range') return undefined
    throw error
  }
}

/** Explains only the requested span, because a record can contain thousands of spans. */
async function explainSpan(batch: SpanBatch, index: number, options: OriginOptions): Promise<ExplainedSpan | undefined> {
  const bytes = await inflateBody(batch.payload, batch.contentEncoding, maxBytes)
  const scan = scanTraceRequest(bytes, { receivedAtMs: batch.receivedAtMs, maxAgeMonths, maxRowBytes: 2 ** 40, maxWork: 2 ** 40 })
  if (index >= scan.spanCount) return undefined
  const [slice] = singleSpans(bytes, scan, [index])
  const { projectId, apiKey, sdkName, sdkVersion, traceAttributes, receivedAtMs: nowMs } = batch
  const runItems =
    batch.runItems?.filter(({ spans }) => spans === null || spans.includes(index)).map(item => ({ ...item, spans: null })) ?? null
  const facts = { projectId, apiKey, sdkName, sdkVersion, traceAttributes, runItems, nowMs }
  const { models, prompts } = await options.catalog()
  const isOwn = (of: { readonly projectId: string | null }) => of.projectId === null || of.projectId === projectId
  const catalog = { models: models.filter(isOwn), prompts: prompts.filter(isOwn) }
  const job = { payload: slice!.payload, facts, brandAliases: options.brandAliases, catalog, maxDecodedBytes: maxBytes }
  return (await explainInThread(job, options.signal)).spans[0]
}
