// A trace that is deleted while an insert of its rows runs comes back with that insert, maybe after whoever carries deletions out has looked for the last time.
// So the backfill removes what it has brought of deleted traces, and what its own tables keep of them.
import { literal } from '@svc-server/column-store/literal'
import { isBackfilled } from './event-columns.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'
import type { Once, Scope } from './step.ts'

interface Pair {
  readonly project_id: string
  readonly trace_id: string
}

/** Of one statement, whose text must stay small. */
const maxPairs = 500

async function removeFrom({ dialect, query, run }: Session, name: string, trace: string, condition: string): Promise<void> {
  const [table, denied] = [dialect.table(name), dialect.table(scratchNames.denied)]
  for (;;) {
    const pairs = await query<Pair>(
      `SELECT DISTINCT project_id, ${trace} AS trace_id FROM ${table} WHERE ${condition} AND is_deleted = 0
         AND ((project_id, ${trace}) IN (SELECT project_id, trace_id FROM ${denied})
           OR project_id IN (SELECT project_id FROM ${denied} WHERE trace_id = '')) LIMIT ${maxPairs}`,
    )
    if (pairs.length === 0) return
    const list = pairs.map(row => `(${literal(row.project_id)}, ${literal(row.trace_id)})`).join(', ')
    await run(`DELETE FROM ${table} WHERE ${condition} AND (project_id, ${trace}) IN (${list})`)
  }
}

export const removeDenied: Once = {
  name: 'deleted traces',
  source: null,
  async prepare({ session }: Scope) {
    for (const name of ['events_full', 'events_core']) await removeFrom(session, name, 'trace_id', isBackfilled)
    await removeFrom(session, scratchNames.observations, 'trace_id', '1')
    await removeFrom(session, scratchNames.traces, 'id', '1')
    await removeFrom(session, scratchNames.experiments, 'trace_id', '1')
  },
}
