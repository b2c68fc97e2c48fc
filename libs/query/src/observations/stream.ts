// Streams all matching rows for GET /api/public/v2/observations. The column store writes the rows in the format of the response.
import { e } from '../fields/events.ts'
import { plain } from '../fields/wire.ts'
import type { Listing } from '../newest/page.ts'
import { newestStream } from '../newest/stream.ts'
import { type Field, type Fields, textField } from '../sql/field.ts'
import { type Bounds, deadlineIn } from '../sql/scope.ts'
import { read, select, versionsIn, type Writes } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { type Piece, streamFormat } from '../stream/format.ts'
import { limitOf, type StreamRequest } from '../stream/request.ts'
import { limits, listingOf, shownIn } from './list.ts'
import { type ModelPrices, type PricesOf, withoutPrices } from './prices.ts'
import { conditionsOf, type ObservationsQuery, rangeOf } from './query.ts'
import { groupsOf } from './shown.ts'

/**
 * The call throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. The generator throws a `column_store_*` error, or
 * the abort signal's reason.
 */
export async function streamObservations(
  columnStore: Writes,
  { projectId, query, type, signal, turn }: StreamRequest<ObservationsQuery>,
  pricesOf: PricesOf,
): Promise<AsyncGenerator<Piece, void, undefined>> {
  const limit = limitOf(query)
  const given = conditionsOf(query)
  const bounds = (): Bounds => ({
    ...{ limits, signal, comment: 'observations.stream' },
    deadline: deadlineIn(30, 'a slice of a stream of observations'),
  })
  const scope = { project: projectId, time: rangeOf(given) }
  const conditions = await turn(() => withoutPrices(columnStore, { conditions: given, scope, bounds: bounds() }, pricesOf))
  const asked = groupsOf(query.fields)
  const listing = listingOf(projectId, conditions, shownIn(query))
  const more = asked.has('model') ? await turn(() => priceFields(columnStore, listing, pricesOf, bounds())) : noPriceFields
  return newestStream(columnStore, listing, { format: streamFormat(type), limit, bounds, turn, more })
}

const shown = (expression: Sql): Field<string> => ({ ...textField(expression), written: plain(expression) })
const none = shown(sql`CAST(NULL AS Nullable(String))`)
const noPriceFields = { modelId: none, inputPrice: none, outputPrice: none, totalPrice: none }

/** The column store has no prices, so the SQL contains the prices of the models of the listed observations. */
async function priceFields(columnStore: Writes, { scope, find }: Listing<Fields>, pricesOf: PricesOf, bounds: Bounds): Promise<Fields> {
  const source = versionsIn(find.table, scope)
  const found = await read(columnStore, select(source, { id: e.model_id }, { where: find.where, groupBy: [sql`id`] }), bounds)
  const ids = found.map(({ id }) => id).filter(id => id !== '')
  const prices = ids.length === 0 ? new Map<string, ModelPrices>() : await pricesOf(scope.project, ids)
  const price = (of: keyof ModelPrices) => {
    const priced = ids.flatMap(id => {
      const amount = prices.get(id)?.[of]
      return typeof amount === 'string' ? [[id, amount] as const] : []
    })
    if (priced.length === 0) return none
    const [names, amounts] = [priced.map(([id]) => id), priced.map(([, amount]) => amount)]
    return shown(sql`nullIf(transform(${e.model_id.sql}, ${value('Array(String)', names)}, ${value('Array(String)', amounts)}, ''), '')`)
  }
  return {
    modelId: shown(sql`nullIf(${e.model_id.sql}, '')`),
    inputPrice: price('inputPrice'),
    outputPrice: price('outputPrice'),
    totalPrice: price('totalPrice'),
  }
}
