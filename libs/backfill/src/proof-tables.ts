// Fills the intermediate tables of the proof: roots, observations with two keys, and traces of run items. Because of these tables, the
// proof does not have to read the source tables for each chunk. The proof does not use the intermediate tables of the inserts, so an error
// in those tables cannot affect the proof. Each run of the proof has its own rows.
import { literal } from '@svc-server/column-store/literal'
import { monthsOf } from './months.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'
import type { Scope } from './step.ts'

export const ofRun = (run: string): string => `run = ${literal(run)}`

/** Collects the virtual roots, and the root spans that came from OTel. Deleted spans are left out. */
export async function collectProofRoots({ session }: Scope, run: string): Promise<void> {
  const { dialect, unfenced } = session
  for (const month of await monthsOf(session, 'events_full'))
    await session.run(
      `INSERT INTO ${dialect.table(scratchNames.proofRoots)} (run, project_id, trace_id, span_id, event_ts)
SELECT ${literal(run)}, project_id, trace_id, span_id, event_ts FROM ${dialect.table('events_full')} FINAL
WHERE toYYYYMM(start_time) = ${month} AND parent_span_id = '' AND ${unfenced}`,
    )
}

/**
 * Collects observations with two keys. For example, an observation gets a second key when its type changes. The observation has a row under
 * each key, and v3 shows only the newer row. If both rows have the same time, v3 can show either of them.
 */
export async function collectTwice({ session }: Scope, run: string): Promise<void> {
  const { dialect, unfenced } = session
  for (const month of await monthsOf(session, 'observations'))
    await session.run(
      `INSERT INTO ${dialect.table(scratchNames.proofTwice)} (run, project_id, trace_id, id, month, newest, is_tied)
SELECT ${literal(run)}, project_id, trace_id, id, ${month}, max(at), arraySort(groupArray(at))[-1] = arraySort(groupArray(at))[-2] FROM (
  SELECT project_id, trace_id, id, type, toDate(start_time), max(event_ts) AS at FROM ${dialect.table('observations')}
  WHERE toYYYYMM(start_time) = ${month} AND ${unfenced} GROUP BY 1, 2, 3, 4, 5
) GROUP BY project_id, trace_id, id HAVING count() > 1`,
    )
}

/** Collects each trace once, in the month of its first run item. */
export const collectProofItems = ({ session: { dialect, unfenced, run } }: Scope, name: string): Promise<void> =>
  run(
    `INSERT INTO ${dialect.table(scratchNames.proofItems)} (run, month, project_id, trace_id)
SELECT ${literal(name)}, toYYYYMM(min(created_at)), project_id, trace_id FROM ${dialect.table('dataset_run_items_rmt')}
WHERE ${unfenced} GROUP BY project_id, trace_id`,
  )

const proofTables = [scratchNames.proofRoots, scratchNames.proofTwice, scratchNames.proofItems] as const

export async function forgetRun({ dialect, run }: Session, name: string): Promise<void> {
  for (const table of proofTables) await run(`ALTER TABLE ${dialect.table(table)} DROP PARTITION ${literal(name)}`)
}
