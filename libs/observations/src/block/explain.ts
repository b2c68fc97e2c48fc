// Explains the value of a column. The explanation comes from the real mapping, so it cannot differ from the mapping.
import { type CellValue, readNativeBlock } from '@svc-server/column-store/native'
import { createBrandNames } from '@svc-server/schema/brand'
import { encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { Explanation, type Finding, type Note } from '../span-view/explanation.ts'
import type { Losses } from '../span-view/losses.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { RejectedRow } from './chunk.ts'
import { type ChunkEncoderOptions, createObservedEncoder } from './chunk-encoder.ts'

export interface ExplainedColumn {
  readonly value: CellValue
  /** Null if no rule matched. The column then has its default value. */
  readonly rule: string | null
  readonly attributes: readonly string[]
}

export interface ExplainedSpan {
  /** Position in the request. */
  readonly index: number
  readonly columns: Readonly<Record<string, ExplainedColumn>>
  /**
   * These notes tell where usage keys and costs come from. If an attribute that looks like usage stayed in the metadata, a note gives the
   * reason.
   */
  readonly notes: readonly Note[]
}

export interface ExplainedRequest {
  readonly spans: readonly ExplainedSpan[]
  readonly rejected: readonly Pick<RejectedRow, 'index' | 'reason' | 'message'>[]
  readonly losses: Losses
  readonly repairedTexts: number
}

/** Facts that a gateway would have recorded about the request. */
export type RequestFacts = Partial<Pick<SpanBatch, 'projectId' | 'apiKey' | 'sdkName' | 'sdkVersion' | 'traceAttributes' | 'runItems'>> & {
  /** The receipt time of the request. */
  readonly nowMs: number
}

const wire = (what: string): Finding => ({ rule: what, attributes: [] })

/** Columns that no rule determines. */
const given: ReadonlyMap<string, Finding> = new Map([
  ...['trace_id', 'span_id', 'parent_span_id', 'start_time', 'end_time'].map(name => [name, wire('the span')] as const),
  ...['scope_name', 'scope_version'].map(name => [name, wire('the instrumentation scope')] as const),
  ...['project_id', 'ingestion_api_key', 'ingestion_sdk_name', 'ingestion_sdk_version'].map(name => [name, wire('the request')] as const),
  ...['source', 'blob_storage_file_path', 'created_at', 'updated_at', 'event_ts'].map(name => [name, wire('the writer')] as const),
  ['event_bytes', wire('size of the span on the wire')],
  ...['metadata_names', 'metadata_values', 'metadata_types'].map(name => [name, wire('attributes that no other column used')] as const),
])

/** Maps an uncompressed protobuf request. An invalid request does not make this function throw. */
export function explainRequest(bytes: Uint8Array, facts: RequestFacts, options: ChunkEncoderOptions = {}): ExplainedRequest {
  const { nowMs, ...fields } = facts
  const explanation = new Explanation()
  const mapped: { readonly index: number; readonly findings: ReadonlyMap<string, Finding>; readonly notes: readonly Note[] }[] = []
  const observer = {
    explanation,
    mapped: ({ index }: SpanView) => {
      mapped.push({ index, findings: new Map(explanation.findings), notes: [...explanation.notes] })
    },
  }
  const sdkName = createBrandNames(options.brandAliases).name(facts.sdkName ?? '')
  const batch: SpanBatch = {
    projectId: 'project',
    apiKey: '',
    sdkVersion: '',
    traceAttributes: null,
    ...fields,
    sdkName,
    ingestionVersion: null,
    receivedAtMs: nowMs,
    ingestId: 'explain',
    contentEncoding: 'identity',
    decodedBytes: bytes.length,
    spanCount: 0,
    payload: bytes,
  }
  const record = { topic: 'explain', partition: 0, offset: 0, timestampMs: nowMs, value: encodeSpanBatch(batch) }
  const chunk = createObservedEncoder(options, observer).encode([record])
  const spans = readNativeBlock(chunk.body).map((row, i) => {
    const { index, findings, notes } = mapped[i]!
    const columns = Object.entries(row).map(([name, value]): [string, ExplainedColumn] => {
      const { rule = null, attributes = [] } = findings.get(name) ?? given.get(name) ?? {}
      return [name, { value, rule, attributes }]
    })
    return { index, columns: Object.fromEntries(columns), notes }
  })
  const rejected = chunk.rejected.map(({ index, reason, message }) => ({ index, reason, message }))
  return { spans, rejected, losses: chunk.losses, repairedTexts: chunk.repairedTexts }
}
