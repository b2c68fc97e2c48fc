// The skeleton of a trace: every observation without its contents, column by column. Ids are most of what it weighs; parents are numbers of rows, and
// what repeats (names, types, models, messages, metadata keys) stands once.
import { e, eventsCore } from '../fields/events.ts'
import { entry, tokens } from '../fields/expressions.ts'
import { nullable, number } from '../sql/decode.ts'
import { field, numberField, type RowOf, textField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, type Reads, read, select, timeValue } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { ofTrace, readTraceHead, type TraceHead } from './head.ts'

export interface TraceOptions {
  readonly projectId: string
  readonly traceId: string
  readonly signal: AbortSignal | undefined
}

/** In the order of their starts; every list has one entry for each row. */
interface TreeColumns {
  readonly ids: readonly string[]
  /** Number of the parent's row; -1: a root; -2 - n: `missing[n]`, which is not among the rows. */
  readonly parents: readonly number[]
  /** Of `texts`. */
  readonly names: readonly number[]
  readonly types: readonly number[]
  readonly levels: readonly number[]
  readonly models: readonly number[]
  readonly messages: readonly number[]
  /** Of `keySets`. */
  readonly keys: readonly number[]
  /** Microseconds after the start of the row before, of the first one after `startUs` of the trace. */
  readonly starts: readonly number[]
  /** Microseconds; null: it has no end. */
  readonly durations: readonly (number | null)[]
  /** Microseconds until the first token. */
  readonly firstTokens: readonly (number | null)[]
  readonly costs: readonly (number | null)[]
  readonly inputTokens: readonly number[]
  readonly outputTokens: readonly number[]
  readonly totalTokens: readonly (number | null)[]
}

interface TraceTree {
  readonly trace: TraceHead
  /** Most rows that a tree has; `trace.observations` counts all. */
  readonly maxRows: number
  readonly texts: readonly string[]
  /** Names of metadata, of `texts`. */
  readonly keySets: readonly (readonly number[])[]
  /** Ids of parents that are not among the rows. */
  readonly missing: readonly string[]
  readonly columns: TreeColumns
}

const maxRows = 100_000
/** Rows of one query: a tree of 100,000 never stands in memory as objects. */
const rowsOfAQuery = 10_000
const limits: Limits = { rows: rowsOfAQuery, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }
/** Of a message; details show the whole one. */
const messageCharacters = 200

const rowFields = {
  id: e.span_id,
  parent: e.parent_span_id,
  start: e.start_time,
  end: e.end_time,
  first: e.completion_start_time,
  name: e.name,
  type: e.type,
  level: e.level,
  message: textField(sql`leftUTF8(${e.status_message.sql}, ${value('UInt32', messageCharacters, 'messageCharacters')})`),
  model: e.provided_model_name,
  cost: field(entry(e.cost_details.sql, 'total'), nullable(number)),
  input: numberField(tokens('input')),
  output: numberField(tokens('output')),
  total: field(entry(e.usage_details.sql, 'total'), nullable(number)),
  keys: e.metadata_names,
}
type Row = RowOf<typeof rowFields>

/** Undefined: the project has no such trace. Throws a column_store_* AppError, or the signal's reason. */
export async function readTraceTree(columnStore: Reads, options: TraceOptions): Promise<TraceTree | undefined> {
  const { projectId, traceId, signal } = options
  const bounds: Bounds = { limits, deadline: deadlineIn(30, 'the tree of a trace'), signal, comment: 'trace.tree' }
  const head = await readTraceHead(columnStore, options, bounds)
  if (head === undefined) return undefined
  const { trace, range } = head
  const source = newestIn(eventsCore, { project: projectId, time: range })
  const builder = createTree(trace.startUs)
  let last: Row | undefined
  while (builder.rows < maxRows) {
    const where: Sql[] = [ofTrace(traceId), ...(last === undefined ? [] : behind(last))]
    const clauses = { where, orderBy: sql`${e.start_time.sql}, ${e.span_id.sql}`, limit: rowsOfAQuery }
    const rows = await read(columnStore, select(source, rowFields, clauses), bounds)
    for (const row of rows) builder.add(row)
    last = rows.at(-1)
    if (last === undefined || rows.length < rowsOfAQuery) break
  }
  return { trace, maxRows, ...builder.finished() }
}

/** The second condition is in the first: the table's index understands it. */
function behind({ start, id }: Row): readonly Sql[] {
  const time = timeValue(start, 'Micro')
  return [sql`(${e.start_time.sql}, ${e.span_id.sql}) > (${time}, ${value('String', id)})`, sql`${e.start_time.sql} >= ${time}`]
}

function createTree(startUs: number) {
  const words = createList<string>(text => text)
  const keySets = createList<readonly number[]>(keys => keys.join(' '))
  const missing = createList<string>(text => text)
  const numbers = new Map<string, number>()
  const parentIds: string[] = []
  let before = startUs
  const ids: string[] = []
  const [names, types, levels, models]: [number[], number[], number[], number[]] = [[], [], [], []]
  const [messages, keys, starts, inputTokens, outputTokens]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []]
  const [durations, firstTokens, costs, totalTokens]: [(number | null)[], (number | null)[], (number | null)[], (number | null)[]] = [
    [],
    [],
    [],
    [],
  ]

  function add(row: Row): void {
    numbers.set(row.id, ids.length)
    ids.push(row.id)
    parentIds.push(row.parent)
    names.push(words.numberOf(row.name))
    types.push(words.numberOf(row.type))
    levels.push(words.numberOf(row.level))
    models.push(words.numberOf(row.model))
    messages.push(words.numberOf(row.message))
    keys.push(keySets.numberOf(row.keys.map(words.numberOf)))
    const start = Number(row.start)
    starts.push(start - before)
    before = start
    durations.push(row.end === null ? null : Number(row.end - row.start))
    firstTokens.push(row.first === null ? null : Number(row.first - row.start))
    costs.push(row.cost)
    inputTokens.push(row.input)
    outputTokens.push(row.output)
    totalTokens.push(row.total)
  }

  return {
    get rows() {
      return ids.length
    },
    add,
    finished() {
      const parents = parentIds.map(id => (id === '' ? -1 : (numbers.get(id) ?? -2 - missing.numberOf(id))))
      const texts = { names, types, levels, models, messages, keys }
      const amounts = { starts, durations, firstTokens, costs, inputTokens, outputTokens, totalTokens }
      return { texts: words.all, keySets: keySets.all, missing: missing.all, columns: { ids, parents, ...texts, ...amounts } }
    },
  }
}

/** What is in it once has a number. */
function createList<T>(nameOf: (value: T) => string) {
  const all: T[] = []
  const numbers = new Map<string, number>()
  function numberOf(value: T): number {
    const name = nameOf(value)
    const known = numbers.get(name)
    if (known !== undefined) return known
    numbers.set(name, all.length)
    return all.push(value) - 1
  }
  return { all, numberOf }
}
