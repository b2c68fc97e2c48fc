// Searches the contents of a trace's observations, and returns an excerpt from each matching field.
import { e, eventsFull } from '../fields/events.ts'
import { field, numberField, type RowOf, textField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { any, type Sql, sql, value } from '../sql/sql.ts'
import { ofTrace, traceScope } from './head.ts'
import type { TraceOptions } from './tree.ts'

interface TraceMatch {
  readonly id: string
  readonly field: 'input' | 'output' | 'metadata' | 'statusMessage'
  /** Number of characters that precede the first match in the field or metadata value. */
  readonly offset: number
  readonly excerpt: string
}

interface TraceMatches {
  readonly matches: readonly TraceMatch[]
  /** True if more observations match than are listed. */
  readonly isCut: boolean
  readonly maxObservations: number
}

const maxObservations = 500
const limits: Limits = { rows: maxObservations + 1, memoryBytes: 2 ** 30, readBytes: 2 ** 37 }
const [before, around] = [40, 160]

const size = (characters: number) => value('UInt32', characters)
const placeOf = (column: Sql, text: Sql): Sql => sql`positionCaseInsensitiveUTF8(${column}, ${text})`
const excerptOf = (column: Sql, place: Sql): Sql =>
  sql`if(${place} = 0, '', substringUTF8(${column}, greatest(1, toInt64(${place}) - ${size(before)}), ${size(around)}))`

/** Searches without regard to case. Throws a `column_store_*` error, or the abort signal's reason. */
export async function searchTrace(
  columnStore: Reads,
  { projectId, traceId, text, signal }: TraceOptions & { readonly text: string },
): Promise<TraceMatches> {
  const bounds: Bounds = { limits, deadline: deadlineIn(20, 'the search of a trace'), signal, comment: 'trace.search' }
  const sought = value('String', text.toWellFormed(), 'sought')
  const [input, output] = [placeOf(e.input.sql, sought), placeOf(e.output.sql, sought)]
  const message = placeOf(e.status_message.sql, sought)
  const leaf = sql`arrayFirst(v -> positionCaseInsensitiveUTF8(v, ${sought}) > 0, ${e.metadata_values.sql})`
  const metadata = placeOf(leaf, sought)
  const fields = {
    id: e.span_id,
    input: numberField(input),
    output: numberField(output),
    message: numberField(message),
    metadata: numberField(metadata),
    inputText: textField(excerptOf(e.input.sql, input)),
    outputText: textField(excerptOf(e.output.sql, output)),
    messageText: textField(excerptOf(e.status_message.sql, message)),
    metadataText: field(excerptOf(leaf, metadata), String),
  }
  const where = [ofTrace(traceId), any([input, output, message, metadata].map(place => sql`${place} > 0`))]
  const clauses = { where, orderBy: sql`${e.start_time.sql}, ${e.span_id.sql}`, limit: maxObservations + 1 }
  const rows = await read(columnStore, select(newestIn(eventsFull, traceScope(projectId)), fields, clauses), bounds)
  return { matches: rows.slice(0, maxObservations).flatMap(matchesOf), isCut: rows.length > maxObservations, maxObservations }

  type Row = RowOf<typeof fields>
  function matchesOf({ id, ...row }: Row): readonly TraceMatch[] {
    const found: readonly (readonly [TraceMatch['field'], number, string])[] = [
      ['statusMessage', row.message, row.messageText],
      ['input', row.input, row.inputText],
      ['output', row.output, row.outputText],
      ['metadata', row.metadata, row.metadataText],
    ]
    return found.flatMap(([name, place, excerpt]) => (place === 0 ? [] : [{ id, field: name, offset: place - 1, excerpt }]))
  }
}
