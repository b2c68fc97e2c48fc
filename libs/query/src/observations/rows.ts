// Reads the rows of the web app's table from events_core. A row has only the beginning and the length of each text.
import { e, keptCharacters } from '../fields/events.ts'
import { firstTokenMs, isRoot, latencyMs, traceName } from '../fields/expressions.ts'
import { amounts, iso, isoOrNull, levelOf, map, orNull, seconds, textOrNull } from '../fields/wire.ts'
import { boolean } from '../sql/decode.ts'
import { field, numberField, type RowOf } from '../sql/field.ts'
import type { Reads } from '../sql/select.ts'
import { constant, type Sql, sql } from '../sql/sql.ts'
import { type ListOptions, type ObservationsPage, pageOf } from './list.ts'
import type { PricesOf } from './prices.ts'
import type { ObservationsQuery } from './query.ts'

const beginning = (text: Sql) => textOrNull(sql`leftUTF8(${text}, ${constant(String(keptCharacters))})`)

export const rowFields = {
  id: e.span_id,
  traceId: e.trace_id,
  parentObservationId: orNull(e.parent_span_id),
  startTime: iso(e.start_time),
  endTime: isoOrNull(e.end_time),
  type: e.type,
  name: orNull(e.name),
  level: map(e.level, levelOf),
  statusMessage: beginning(e.status_message.sql),
  isRoot: field(isRoot, boolean),
  environment: e.environment,
  version: orNull(e.version),
  release: orNull(e.release),
  userId: orNull(e.user_id),
  sessionId: orNull(e.session_id),
  traceName: textOrNull(traceName),
  tags: e.tags,
  model: orNull(e.provided_model_name),
  promptName: orNull(e.prompt_name),
  promptVersion: e.prompt_version,
  usage: amounts(e.usage_details),
  cost: amounts(e.cost_details),
  latency: seconds(latencyMs),
  timeToFirstToken: seconds(firstTokenMs),
  bookmarked: e.bookmarked,
  input: beginning(e.input.sql),
  inputLength: numberField(e.input_length.sql),
  output: beginning(e.output.sql),
  outputLength: numberField(e.output_length.sql),
}

export interface RowsPage {
  readonly data: readonly RowOf<typeof rowFields>[]
  readonly meta: ObservationsPage['meta']
}

/** Throws like `listObservations`. */
export async function listRows(columnStore: Reads, options: ListOptions<ObservationsQuery>, pricesOf: PricesOf): Promise<RowsPage> {
  const { rows, meta } = await pageOf(columnStore, options, { fields: rowFields, isWhole: false, size: sql`2000` }, pricesOf)
  return { data: rows, meta }
}
