// Reads the observations of a trace without their contents, column by column. To keep the response small, a row refers to its parent by
// row number, and the response contains each repeated value (name, type, model, message, metadata key) once.
import { parseStoredJson } from '@svc-server/json'
import { e, eventsCore } from '../fields/events.ts'
import { entry, tokens } from '../fields/expressions.ts'
import { nullable, number } from '../sql/decode.ts'
import { field, numberField, textField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { type ColumnsOf, decodedColumns, newestIn, readBytes, select, type Writes } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { ofTrace, readTraceHead, type TraceHead } from './head.ts'
import { type Hidden, topOf } from './top.ts'

export interface TraceOptions {
  readonly projectId: string
  readonly traceId: string
  readonly signal: AbortSignal | undefined
}

/** The rows as lists. Every list has one entry per row, ordered by the start of the rows. */
interface TreeColumns {
  readonly ids: readonly string[]
  /**
   * For each row, the row number of its parent, or -1 for a root. For a parent that is not in the tree, the value is `-2 - n`, where `n`
   * is the index of the parent's id in `missing`.
   */
  readonly parents: readonly number[]
  /** Indexes into `texts`. */
  readonly names: readonly number[]
  readonly types: readonly number[]
  readonly levels: readonly number[]
  readonly models: readonly number[]
  readonly messages: readonly number[]
  /** Indexes into `keySets`. */
  readonly keys: readonly number[]
  /** Microseconds after the previous row's start. For the first row, microseconds after the trace's `startUs`. */
  readonly starts: readonly number[]
  /** Microseconds; null for an observation without an end. */
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
  /** Maximum rows of a tree. `trace.observations` can be larger. */
  readonly maxRows: number
  readonly texts: readonly string[]
  /** Sets of metadata names. Each name is stored as its index in `texts`. */
  readonly keySets: readonly (readonly number[])[]
  /** Ids of parents that are not in the tree. */
  readonly missing: readonly string[]
  readonly columns: TreeColumns
  readonly hidden: Hidden
}

const maxRows = 100_000
/** The tree's rows are chosen from at most this many rows. Each of these rows needs about 1 KB of the worker's memory. */
const mostRead = 300_000
const limits: Limits = { rows: mostRead, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }
/** Maximum number of opened rows in a request. The server ignores the ids of further opened rows. */
const mostOpen = 200
/** Maximum characters of a message. The observation's details have the complete message. */
const messageCharacters = 200

const rowFields = {
  id: e.span_id,
  parent: e.parent_span_id,
  start: numberField(e.start_time.selected),
  end: field(e.end_time.selected, nullable(number)),
  first: field(e.completion_start_time.selected, nullable(number)),
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
/**
 * Columns as the column store returned them, in the order of `rowFields`. A tree can have 100,000 rows, so rows are never converted to
 * objects.
 */
export interface StoredTree {
  readonly trace: TraceHead
  /** Ids of opened rows, whose children are always part of the tree. */
  readonly open: readonly string[]
  readonly columns: Uint8Array
}

/** Returns undefined if the project has no such trace. Throws a `column_store_*` error, or the abort signal's reason. */
export async function readTraceTree(
  columnStore: Writes,
  options: TraceOptions & { readonly open: readonly string[] },
): Promise<StoredTree | undefined> {
  const { projectId, traceId, signal, open } = options
  const bounds: Bounds = { limits, deadline: deadlineIn(30, 'the tree of a trace'), signal, comment: 'trace.tree' }
  const head = await readTraceHead(columnStore, options, bounds)
  if (head === undefined) return undefined
  const { trace, range } = head
  const clauses = { where: [ofTrace(traceId)], orderBy: sql`${e.start_time.sql}, ${e.span_id.sql}`, limit: mostRead }
  const query = select(newestIn(eventsCore, { project: projectId, time: range }), rowFields, clauses)
  // Reading in the order of the key would use only one thread and take longer than sorting.
  const settings = { optimize_read_in_order: 0 }
  return {
    ...{ trace, open: open.slice(0, mostOpen) },
    columns: await readBytes(columnStore, query.sql, { format: 'JSONCompactColumns', bounds, maxBytes: undefined, settings }),
  }
}

/** Returns JSON. For 100,000 rows, this function takes 250 ms, so a worker thread calls it. */
export function treeText({ trace, columns, open }: StoredTree, most = maxRows): string {
  const all = decodedColumns(rowFields, parseStoredJson(new TextDecoder().decode(columns)))
  const { stored, hidden } = sentOf(all, open, most)
  const tree: TraceTree = { trace, maxRows: most, hidden, ...treeOf(stored, trace.startUs) }
  return JSON.stringify(tree)
}

const nothingHidden: Hidden = { rows: [], observations: [], costs: [], tokens: [], errors: [] }

/** Chooses the rows that are sent, and sums up the other rows. */
function sentOf(all: StoredColumns, open: readonly string[], most: number): { readonly stored: StoredColumns; readonly hidden: Hidden } {
  if (all.id.length <= most) return { stored: all, hidden: nothingHidden }
  const numbers = new Map(all.id.map((id, row) => [id, row]))
  const { rows, hidden } = topOf(
    {
      parents: all.parent.map(id => numbers.get(id) ?? -1),
      costs: all.cost,
      tokens: all.total.map((total, row) => total ?? all.input[row]! + all.output[row]!),
      isError: all.level.map(level => level === 'ERROR'),
    },
    open.flatMap(id => numbers.get(id) ?? []),
    most,
  )
  const sent = <T>(values: readonly T[]): T[] => rows.map(row => values[row]!)
  const stored: StoredColumns = {
    ...{ id: sent(all.id), parent: sent(all.parent), start: sent(all.start), end: sent(all.end), first: sent(all.first) },
    ...{ name: sent(all.name), type: sent(all.type), level: sent(all.level), message: sent(all.message), model: sent(all.model) },
    ...{ cost: sent(all.cost), input: sent(all.input), output: sent(all.output), total: sent(all.total), keys: sent(all.keys) },
  }
  return { stored, hidden }
}

type StoredColumns = ColumnsOf<typeof rowFields>

function treeOf(stored: StoredColumns, startUs: number): Pick<TraceTree, 'texts' | 'keySets' | 'missing' | 'columns'> {
  const words = createList<string>(text => text)
  const keySets = createList<readonly number[]>(keys => keys.join(' '))
  const missing = createList<string>(text => text)
  const { id: ids, start } = stored
  const numbers = new Map(ids.map((id, row) => [id, row]))
  const sinceStart = (times: readonly (number | null)[]) => times.map((time, row) => (time === null ? null : time - start[row]!))
  // Each text is replaced by its index in `words`. The fields with few distinct values are added to `words` first, so that the indexes of
  // these values have few digits.
  const levels = stored.level.map(words.numberOf)
  const types = stored.type.map(words.numberOf)
  const models = stored.model.map(words.numberOf)
  const columns: TreeColumns = {
    ids,
    parents: stored.parent.map(id => (id === '' ? -1 : (numbers.get(id) ?? -2 - missing.numberOf(id)))),
    names: stored.name.map(words.numberOf),
    types,
    levels,
    models,
    messages: stored.message.map(words.numberOf),
    keys: stored.keys.map(keys => keySets.numberOf(keys.map(words.numberOf))),
    starts: start.map((time, row) => time - (row === 0 ? startUs : start[row - 1]!)),
    durations: sinceStart(stored.end),
    firstTokens: sinceStart(stored.first),
    costs: stored.cost,
    inputTokens: stored.input,
    outputTokens: stored.output,
    totalTokens: stored.total,
  }
  return { texts: words.all, keySets: keySets.all, missing: missing.all, columns }
}

/** Stores each value once and gives it an index. */
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
