// Reads one observation of a trace. Long texts are read in slices, because an input can have 20 MB.
import { e, eventsFull } from '../fields/events.ts'
import { amounts, isoOrNull, levelOf, map, orNull, parametersOf } from '../fields/wire.ts'
import { type Decoder, number, text } from '../sql/decode.ts'
import { field, numberField, textField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { isoOfMicros } from '../times.ts'
import { ofTrace, traceScope } from './head.ts'
import type { TraceOptions } from './tree.ts'

export interface ObservationOptions extends TraceOptions {
  readonly observationId: string
}

const limits: Limits = { rows: 1, memoryBytes: 2 ** 30, readBytes: 2 ** 37 }
/** The details of an observation contain the first characters of the input and of the output: at most this many of each. */
const firstCharacters = 65_536
/**
 * Maximum characters of a metadata value. A longer value is truncated here, but the slices of the field `metadata` contain the whole value.
 */
const leafCharacters = 4_096
const maxLeaves = 1_000

const characters = (count: number) => value('UInt32', count)
const firstOf = (column: Sql) => textField(sql`leftUTF8(${column}, ${characters(firstCharacters)})`)

interface Leaf {
  readonly name: string
  readonly text: string
  /** 0 is text, 1 number, 2 boolean, 3 JSON, and 4 null. */
  readonly type: number
  /** Characters of the whole value. */
  readonly length: number
}

const leaves: Decoder<readonly Leaf[]> = json =>
  (Array.isArray(json) ? json : []).map(([name, shown, type, length]) => ({
    ...{ name: text(name), text: text(shown), type: number(type), length: number(length) },
  }))

const tools: Decoder<readonly { readonly name: string; readonly definition: string }[]> = json =>
  typeof json === 'object' && json !== null
    ? Object.entries(json).map(([name, definition]) => ({ name, definition: text(definition) }))
    : []

const metadata = field(
  sql`arraySlice(arrayMap((n, v, t) -> (n, leftUTF8(v, ${characters(leafCharacters)}), t, lengthUTF8(v)),
    ${e.metadata_names.sql}, arrayResize(${e.metadata_values.sql}, length(${e.metadata_names.sql})),
    arrayResize(${e.metadata_types.sql}, length(${e.metadata_names.sql}))), 1, ${characters(maxLeaves)})`,
  leaves,
)

const fields = {
  ...{ id: e.span_id, traceId: e.trace_id, parentObservationId: orNull(e.parent_span_id), name: orNull(e.name), type: e.type },
  ...{ level: map(e.level, levelOf), statusMessage: orNull(e.status_message), environment: e.environment },
  startTime: map(e.start_time, isoOfMicros),
  startUs: map(e.start_time, String),
  endUs: map(e.end_time, us => (us === null ? null : String(us))),
  endTime: isoOrNull(e.end_time),
  completionStartTime: isoOrNull(e.completion_start_time),
  createdAt: map(e.created_at, isoOfMicros),
  /** A long text is read in slices. If two slices come with different versions, the row has changed between the two reads. */
  rowVersion: map(e.event_ts, String),
  ...{ version: orNull(e.version), release: orNull(e.release), userId: orNull(e.user_id), sessionId: orNull(e.session_id), tags: e.tags },
  ...{ promptId: orNull(e.prompt_id), promptName: orNull(e.prompt_name), promptVersion: e.prompt_version },
  ...{ model: orNull(e.provided_model_name), modelId: orNull(e.model_id), modelParameters: map(e.model_parameters, parametersOf) },
  usageDetails: amounts(e.usage_details),
  providedUsageDetails: amounts(e.provided_usage_details),
  costDetails: amounts(e.cost_details),
  providedCostDetails: amounts(e.provided_cost_details),
  usagePricingTierName: orNull(e.usage_pricing_tier_name),
  toolDefinitions: field(e.tool_definitions.sql, tools),
  toolCalls: e.tool_calls,
  toolCallNames: e.tool_call_names,
  metadata,
  metadataCount: numberField(sql`length(${e.metadata_names.sql})`),
  input: firstOf(e.input.sql),
  inputLength: e.input_length,
  output: firstOf(e.output.sql),
  outputLength: e.output_length,
  ...{ experimentId: orNull(e.experiment_id), experimentName: orNull(e.experiment_name), experimentItemId: orNull(e.experiment_item_id) },
  experimentDatasetId: orNull(e.experiment_dataset_id),
  expectedOutput: orNull(firstOf(e.experiment_item_expected_output.sql)),
  ...{ source: e.source, serviceName: orNull(e.service_name), serviceVersion: orNull(e.service_version) },
  ...{ scopeName: orNull(e.scope_name), scopeVersion: orNull(e.scope_version), apiKey: orNull(e.ingestion_api_key) },
  ...{ telemetryLanguage: orNull(e.telemetry_sdk_language), telemetryName: orNull(e.telemetry_sdk_name) },
  ...{ sdkName: orNull(e.ingestion_sdk_name), sdkVersion: orNull(e.ingestion_sdk_version), eventBytes: e.event_bytes },
  blobStorageFilePath: orNull(e.blob_storage_file_path),
}

const ofObservation = ({ traceId, observationId }: ObservationOptions): readonly Sql[] => [
  ofTrace(traceId),
  sql`${e.span_id.sql} = ${value('String', observationId, 'observationId')}`,
]

const boundsOf = (signal: AbortSignal | undefined, comment: string): Bounds => ({
  ...{ limits, deadline: deadlineIn(20, 'an observation'), signal, comment },
})

/** If several rows have the same id, the one with the latest start wins. */
const latest = { orderBy: sql`${e.start_time.sql} DESC`, limit: 1 }

/** Returns undefined if the trace has no such observation. Throws a `column_store_*` error, or the abort signal's reason. */
export async function readObservation(columnStore: Reads, options: ObservationOptions) {
  const source = newestIn(eventsFull, traceScope(options.projectId))
  const query = select(source, fields, { where: ofObservation(options), ...latest })
  const [row] = await read(columnStore, query, boundsOf(options.signal, 'trace.observation'))
  return row === undefined ? undefined : { ...row, firstCharacters, leafCharacters }
}

export type SliceField = 'input' | 'output' | 'metadata' | 'expectedOutput'

/** The whole value of each field. For the metadata, this is a JSON object whose values are texts. */
const wholeOf: Readonly<Record<SliceField, Sql>> = {
  input: e.input.sql,
  output: e.output.sql,
  metadata: sql`toJSONString(mapFromArrays(arrayMap(n -> toString(n), ${e.metadata_names.sql}), arrayResize(${e.metadata_values.sql}, length(${e.metadata_names.sql}))))`,
  expectedOutput: e.experiment_item_expected_output.sql,
}

interface TextSlice {
  readonly text: string
  readonly offset: number
  /** Length of the whole field, in Unicode characters. */
  readonly length: number
  /** Offset of the next slice; null after the last slice. */
  readonly next: number | null
  readonly rowVersion: string
}

/** Throws a `column_store_*` error, or the abort signal's reason. */
export async function readSlice(
  columnStore: Reads,
  options: ObservationOptions & { readonly field: SliceField; readonly offset: number; readonly limit: number },
): Promise<TextSlice | undefined> {
  const { offset, limit } = options
  const whole = wholeOf[options.field]
  const selected = {
    text: textField(sql`substringUTF8(${whole}, ${characters(offset + 1)}, ${characters(limit)})`),
    length: numberField(sql`lengthUTF8(${whole})`),
    rowVersion: map(e.event_ts, String),
  }
  const source = newestIn(eventsFull, traceScope(options.projectId))
  const query = select(source, selected, { where: ofObservation(options), ...latest })
  const [row] = await read(columnStore, query, boundsOf(options.signal, 'trace.slice'))
  return row && { ...row, offset, next: offset + limit < row.length ? offset + limit : null }
}
