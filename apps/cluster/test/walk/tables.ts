// In which tables something that was accepted must be, by the mode that it was accepted in (ingestion.md
// §4.2), and whether it is.
import type { TestCluster } from '../cluster.ts'
import type { Mode } from './processes.ts'
import type { Accepted, Kind } from './traffic.ts'

type Row = readonly [table: string, id: string]

const eventsOf = (id: string): readonly Row[] => [
  ['events_full', id],
  ['events_core', id],
]

/** In the tables of v3. */
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
    score: [],
  }
  return byKind[kind]
}

function newRows({ kind, id }: Accepted): readonly Row[] {
  if (kind === 'score') return []
  return kind === 'trace' || kind === 'update of a trace' ? eventsOf(`t-${id}`) : eventsOf(id)
}

/** What must be there, in whatever mode it was accepted where that is not known. */
function requiredRows(accepted: Accepted): readonly Row[] {
  const { kind, mode, id } = accepted
  if (kind === 'score') return [['scores', id]]
  const byMode: Readonly<Record<Mode, readonly Row[]>> = {
    legacy: oldRows(accepted),
    dual: [...oldRows(accepted), ...newRows(accepted)],
    events_only: newRows(accepted),
  }
  return mode === null ? [] : byMode[mode]
}

const selects: readonly (readonly [table: string, sql: string])[] = [
  ['traces', 'SELECT id FROM traces FINAL WHERE is_deleted = 0'],
  ['traces with the update', "SELECT id FROM traces FINAL WHERE is_deleted = 0 AND output = 'late'"],
  ['observations', 'SELECT id FROM observations FINAL WHERE is_deleted = 0'],
  ['events_full', 'SELECT span_id AS id FROM events_full FINAL WHERE is_deleted = 0'],
  ['events_core', 'SELECT span_id AS id FROM events_core FINAL WHERE is_deleted = 0'],
  ['scores', 'SELECT id FROM scores FINAL WHERE is_deleted = 0'],
]

export interface Stored {
  /** Required rows that are not there. */
  missing(accepted: readonly Accepted[]): readonly string[]
  /** Keys that have more than one live row. */
  readonly twice: readonly string[]
}

/** `without`: tables that are not there now. */
export async function storedIn(cluster: TestCluster, without: readonly string[] = []): Promise<Stored> {
  const byTable = new Map<string, ReadonlySet<string>>()
  const twice: string[] = []
  for (const [table, sql] of selects) {
    if (without.includes(table)) continue
    const ids = (await cluster.query<{ id: string }>(sql)).map(({ id }) => id)
    const seen = new Set<string>()
    for (const id of ids) {
      if (seen.has(id)) twice.push(`${table} ${id}`)
      seen.add(id)
    }
    byTable.set(table, seen)
  }
  return {
    twice,
    missing: accepted =>
      accepted.flatMap(each =>
        requiredRows(each)
          .filter(([table, id]) => byTable.get(table)?.has(id) === false)
          .map(([table, id]) => `${table} ${id} (${each.kind}, accepted in ${each.mode})`),
      ),
  }
}
