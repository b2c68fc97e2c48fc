// Checks the tables after requests in different write modes. The tables that a mode writes must contain the accepted data and its later
// changes (contract §12.2). No table may contain deleted data.
import type { TestCluster } from '../cluster.ts'
import type { Mode } from './processes.ts'
import type { Accepted, Kind } from './senders.ts'

type Row = readonly [table: string, id: string]

const eventsOf = (id: string, what = ''): readonly Row[] => [
  [`events_full${what}`, id],
  [`events_core${what}`, id],
]

function oldRows({ kind, id, traceId }: Accepted): readonly Row[] {
  const byKind: Readonly<Record<Kind, readonly Row[]>> = {
    'span of a new SDK': [
      ['observations', id],
      ['traces', traceId],
    ],
    'span of an old SDK': [
      ['observations', id],
      ['traces', traceId],
    ],
    trace: [['traces', id]],
    observation: [['observations', id]],
    'update of a trace': [['traces with the update', id]],
    'run item': [['dataset_run_items_rmt', id]],
    score: [],
  }
  return byKind[kind]
}

function eventIdOf({ kind, id }: Accepted): string | null {
  if (kind === 'score' || kind === 'run item') return null
  return kind === 'trace' || kind === 'update of a trace' ? `t-${id}` : id
}

const isOld = (mode: Mode | null): boolean => mode === 'legacy' || mode === 'dual'
const isNew = (mode: Mode | null, isBackfilled: boolean): boolean =>
  mode === 'dual' || mode === 'events_only' || (mode === 'legacy' && isBackfilled)

/** Returns the rows that must exist. If the mode is null, these are only the rows that every mode writes. */
function requiredRows(accepted: Accepted, isBackfilled: boolean): readonly Row[] {
  const { kind, mode, id } = accepted
  if (kind === 'score') return [['scores', id]]
  const eventId = eventIdOf(accepted)
  return [...(isOld(mode) ? oldRows(accepted) : []), ...(eventId !== null && isNew(mode, isBackfilled) ? eventsOf(eventId) : [])]
}

const live = 'is_deleted = 0'
const eventSelects = (['events_full', 'events_core'] as const).flatMap(
  table =>
    [
      [table, table, `SELECT span_id AS id, trace_id, project_id FROM ${table} FINAL WHERE ${live}`],
      [`${table} of its run`, table, `SELECT span_id AS id FROM ${table} FINAL WHERE ${live} AND experiment_item_id != ''`],
      [`${table} bookmarked`, table, `SELECT trace_id AS id FROM ${table} FINAL WHERE ${live} AND bookmarked AND parent_span_id = ''`],
      [`${table} public`, table, `SELECT trace_id AS id FROM ${table} FINAL WHERE ${live} GROUP BY trace_id HAVING min(public)`],
    ] as const,
)

/**
 * Queries that return the ids of rows. For each table, the first query returns the ids of all rows. The other queries of the table return
 * only the ids of rows with a certain property, such as a flag.
 */
const selects: readonly (readonly [what: string, table: string, sql: string])[] = [
  ['traces', 'traces', `SELECT id, id AS trace_id, project_id FROM traces FINAL WHERE ${live}`],
  ['traces with the update', 'traces', `SELECT id FROM traces FINAL WHERE ${live} AND output = 'late'`],
  ['traces bookmarked', 'traces', `SELECT id FROM traces FINAL WHERE ${live} AND bookmarked`],
  ['traces public', 'traces', `SELECT id FROM traces FINAL WHERE ${live} AND public`],
  ...(['observations', 'scores', 'dataset_run_items_rmt'] as const).map(
    table => [table, table, `SELECT id, trace_id, project_id FROM ${table} FINAL WHERE ${live}`] as const,
  ),
  ...eventSelects,
]

export interface Flags {
  readonly bookmarked: boolean
  readonly public: boolean
}

export interface Deleted {
  readonly traces: ReadonlySet<string>
  readonly scores: ReadonlySet<string>
  readonly projects: ReadonlySet<string>
}

interface History {
  readonly accepted: readonly Accepted[]
  readonly deleted: Deleted
  readonly flags: ReadonlyMap<string, Flags>
}

export const untouched: Omit<History, 'accepted'> = {
  deleted: { traces: new Set(), scores: new Set(), projects: new Set() },
  flags: new Map(),
}

export interface Stored {
  missing(history: History, isBackfilled?: boolean): readonly string[]
  unwanted(history: History): readonly string[]
  /** Ids for which a query with FINAL returns more than one row. */
  readonly twice: readonly string[]
}

interface Found {
  readonly id: string
  readonly trace_id?: string
  readonly project_id?: string
}

function rowsOfChanges(
  { accepted, flags }: Pick<History, 'accepted' | 'flags'>,
  isBackfilled: boolean,
): { readonly wanted: Row[]; readonly unwanted: Row[] } {
  const [wanted, unwanted]: Row[][] = [[], []]
  const byTrace = Map.groupBy(accepted, ({ traceId }) => traceId)
  for (const { kind, id, traceId, mode } of accepted) {
    if (kind !== 'run item') continue
    if (mode === 'events_only') unwanted!.push(['dataset_run_items_rmt', id])
    if (mode !== 'dual' && !(mode === 'legacy' && isBackfilled)) continue
    for (const row of byTrace.get(traceId)!) {
      const eventId = eventIdOf(row)
      // New SDKs send the attributes of the experiment with each span, so a run item does not change these spans (ADR 0026).
      const isEnriched = row.kind !== 'span of a new SDK' && (row.mode === 'dual' || (row.mode === 'legacy' && isBackfilled))
      if (eventId !== null && isEnriched) wanted!.push(...eventsOf(eventId, ' of its run'))
    }
  }
  for (const [traceId, set] of flags) {
    const modes = new Set(
      (byTrace.get(traceId) ?? []).filter(({ kind }) => kind !== 'run item' && kind !== 'score').map(({ mode }) => mode),
    )
    for (const name of ['bookmarked', 'public'] as const) {
      const into = set[name] ? wanted : unwanted
      if ([...modes].every(isOld)) into!.push([`traces ${name}`, traceId])
      if ([...modes].every(mode => isNew(mode, isBackfilled))) into!.push(...eventsOf(traceId, ` ${name}`))
    }
  }
  return { wanted: wanted!, unwanted: unwanted! }
}

/** Reads the ids that the tables have. Tables in `without` are left out, because they do not exist yet. */
export async function storedIn(cluster: TestCluster, without: readonly string[] = []): Promise<Stored> {
  const found = new Map<string, readonly Found[]>()
  const ids = new Map<string, ReadonlySet<string>>()
  const twice: string[] = []
  for (const [what, table, sql] of selects) {
    if (without.includes(table)) continue
    const rows = await cluster.query<Found>(sql)
    const seen = new Set<string>()
    for (const { id } of rows) {
      if (seen.has(id)) twice.push(`${what} ${id}`)
      seen.add(id)
    }
    found.set(what, rows)
    ids.set(what, seen)
  }
  const has = ([what, id]: Row) => ids.get(what)?.has(id)
  return {
    twice,
    missing({ accepted, deleted, ...history }, isBackfilled = false) {
      const isGone = ({ kind, id, traceId }: Accepted) => deleted.traces.has(traceId) || (kind === 'score' && deleted.scores.has(id))
      const kept = accepted.filter(each => !isGone(each))
      const flags = new Map([...history.flags].filter(([traceId]) => !deleted.traces.has(traceId)))
      const ofItems = kept.flatMap(each =>
        requiredRows(each, isBackfilled)
          .filter(row => has(row) === false)
          .map(([what, id]) => `${what} ${id} (${each.kind}, accepted in ${each.mode})`),
      )
      const { wanted } = rowsOfChanges({ accepted: kept, flags }, isBackfilled)
      return [...ofItems, ...wanted.filter(row => has(row) === false).map(([what, id]) => `${what} ${id}`)]
    },
    unwanted(history) {
      const { deleted } = history
      const back = [...found].flatMap(([what, rows]) =>
        rows
          .filter(({ project_id }) => project_id !== undefined)
          .filter(
            ({ id, trace_id, project_id }) =>
              deleted.traces.has(trace_id!) || deleted.projects.has(project_id!) || (what === 'scores' && deleted.scores.has(id)),
          )
          .map(({ id, trace_id, project_id }) => `${what} ${id} of the trace ${trace_id}, ${project_id}`),
      )
      const { unwanted } = rowsOfChanges(history, true)
      return [...back, ...unwanted.filter(has).map(([what, id]) => `${what} ${id}`)]
    },
  }
}

export async function areStored(cluster: TestCluster, accepted: readonly Accepted[]): Promise<boolean> {
  const required = accepted.flatMap(each => requiredRows(each, false))
  for (const [what, rows] of Map.groupBy(required, ([table]) => table)) {
    const [, , sql] = selects.find(([name]) => name === what)!
    const ids = [...new Set(rows.map(([, id]) => id))]
    const found = await cluster.query<Found>(`SELECT id FROM (${sql}) WHERE id IN (${ids.map(id => `'${id}'`).join()})`)
    if (new Set(found.map(({ id }) => id)).size < ids.length) return false
  }
  return true
}
