// Writes where a row comes from: service, instrumentation, SDK, API key, and position on the log.
import {
  type BlockBuilder,
  type LowCardinalityColumn as Bounded,
  LowCardinalityColumn,
  NumberColumn,
  StringColumn,
  sourceOf,
} from '@svc-server/column-store/native'
import { findFirst, forColumn, resourceAttribute } from '../rules/rules.ts'
import { writeAscii } from '../span-view/json-text.ts'
import { renderText, scratchWriter } from '../span-view/render-text.ts'
import '../span-view/resource-keys.ts'
import type { RecordContext, SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

const resourceColumns: readonly (readonly [column: string, key: string])[] = [
  ['service_name', 'service.name'],
  ['service_version', 'service.version'],
  ['telemetry_sdk_language', 'telemetry.sdk.language'],
  ['telemetry_sdk_name', 'telemetry.sdk.name'],
  ['telemetry_sdk_version', 'telemetry.sdk.version'],
]
const otel = sourceOf('otel')

interface SharedColumn {
  readonly column: Bounded
  index: number
  readonly find: (span: SpanView) => number
}

/** All spans of a record, resource, or scope share these values, which are looked up only once. */
class SharedColumns {
  readonly #columns: readonly SharedColumn[]
  #owner: unknown

  constructor(columns: readonly SharedColumn[]) {
    this.#columns = columns
  }

  /**
   * `owner` identifies the record, resource or scope that the values of the columns describe. If the owner is the same as for the previous
   * row, `write` reuses the values of the previous row.
   */
  write(row: number, span: SpanView, owner: unknown): void {
    if (owner !== this.#owner || span.explanation !== null) {
      this.#owner = owner
      for (const column of this.#columns) column.index = column.find(span)
    }
    for (let i = 0; i < this.#columns.length; i++) this.#columns[i]!.column.index(row, this.#columns[i]!.index)
  }
}

export function provenanceColumns(block: BlockBuilder): ColumnWriter {
  const shared = (name: string, find: (column: Bounded, span: SpanView) => number): SharedColumn => {
    const column = block.column(name, LowCardinalityColumn)
    return { column, index: 0, find: span => find(column, span) }
  }
  const ofEnvelope = (name: string, text: (span: SpanView) => string) =>
    shared(name, (column, span) => {
      const source = sourceOf(text(span))
      return column.indexOf(source, 0, source.bytes.length)
    })
  const ofResource = new SharedColumns(resourceColumns.map(([name, key]) => shared(name, resourceIndex(name, key))))
  const ofScope = new SharedColumns([
    shared('scope_name', (column, { scopeNameSource, scopeNameStart, scopeNameEnd }) =>
      column.indexOf(scopeNameSource, scopeNameStart, scopeNameEnd),
    ),
    shared('scope_version', (column, { source, scopeVersionStart, scopeVersionEnd }) =>
      column.indexOf(source, scopeVersionStart, scopeVersionEnd),
    ),
  ])
  const ofRecord = new SharedColumns([
    shared('source', column => column.indexOf(otel, 0, otel.bytes.length)),
    ofEnvelope('ingestion_api_key', span => span.context.batch.apiKey),
    ofEnvelope('ingestion_sdk_name', span => span.context.batch.sdkName || 'unknown'),
    ofEnvelope('ingestion_sdk_version', span => span.context.batch.sdkVersion || 'unknown'),
  ])
  const path = block.column('blob_storage_file_path', StringColumn)
  const eventBytes = block.column('event_bytes', NumberColumn)
  const times = ['created_at', 'updated_at', 'event_ts'].map(name => block.column(name, NumberColumn))
  const writePath = recordPath()

  return (row, span) => {
    ofRecord.write(row, span, span.context)
    ofResource.write(row, span, span.resourceGeneration)
    ofScope.write(row, span, span.scopeGeneration)
    writePath(path, row, span)
    eventBytes.set(row, span.wireBytes)
    for (let i = 0; i < times.length; i++) times[i]!.set(row, span.context.rowTimeUs)
  }
}

/** Writes `topic/partition/offset#index`. The part before `#` is built once per record. */
function recordPath() {
  const text = scratchWriter()
  let record: RecordContext | undefined
  let shared = 0
  return (column: StringColumn, row: number, span: SpanView): void => {
    if (span.context !== record) {
      record = span.context
      text.rewind()
      writeAscii(text, record.provenance)
      shared = text.length
    }
    text.length = shared
    text.decimal(span.index)
    column.text(row, text, 0, text.length)
  }
}

const resourceIndex = (name: string, key: string) => {
  const rules = forColumn(name, [resourceAttribute(key, 'set')])
  return (column: Bounded, span: SpanView): number => {
    const entry = findFirst(span, rules)
    if (entry < 0) return 0
    const text = renderText(span.source, span.attributes.value(entry))
    return column.indexOf(text, 0, text.length)
  }
}
