// The table with the result of the backfill's proof (`verify.ts`). Operators can keep the table. The table has one row per run, kind of
// data, project, month and chunk.
import { literal } from '@svc-server/column-store/literal'
import type { Dialect } from '@svc-server/schema/dialect'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'
import type { Scope } from './step.ts'

export const verificationTable = 'backfill_verification'

/**
 * The verdict on a row of the old tables.
 *
 * `newer`: a row of the live path, or a newer row with the same id, replaces the row.
 *
 * `denied`: the row's trace or project has been deleted.
 *
 * `there`: the event already existed before the backfill.
 *
 * `written`: the backfill wrote the event as expected. The event can lack late updates of trace properties, which arrived after the
 * backfill had collected changes for the last time.
 *
 * `missing`, `different`: the event does not exist, or differs from the expected event. An event also counts as different if its trace has
 * no root, or if the event has an experiment although its trace has no run item.
 *
 * `coreMissing`, `coreDifferent`: the event is missing or different in events_core, where texts are cut to 200 characters.
 */
export const verdicts = ['source', 'newer', 'denied', 'there', 'written', 'missing', 'different', 'coreMissing', 'coreDifferent'] as const

export type Verdict = (typeof verdicts)[number]

export const createVerification = (dialect: Dialect): string =>
  `CREATE TABLE IF NOT EXISTS ${dialect.table(verificationTable)}${dialect.onCluster} (run String, kind LowCardinality(String), project_id String, month UInt32,
  chunk String, ${verdicts.map(verdict => `${verdict} UInt64`).join(', ')}, checksum UInt64, expected_checksum UInt64, at DateTime64(3, 'UTC') DEFAULT now64(3))
ENGINE = ${dialect.engine('ReplacingMergeTree', 'at')} ORDER BY (run, kind, project_id, month, chunk)`

export function isDenied({ dialect }: Session, projectId: string, traceId: string): string {
  const denied = dialect.table(scratchNames.denied)
  return `((${projectId}, ${traceId}) IN (SELECT project_id, trace_id FROM ${denied})
      OR ${projectId} IN (SELECT project_id FROM ${denied} WHERE trace_id = ''))`
}

export const linesOf = (run: string, kind: string): string => `run = ${literal(run)} AND kind = ${literal(kind)}`

/**
 * `compare` compares the old rows with the events. If a trace is deleted meanwhile, one side can still contain the trace, and the other
 * side can lack the trace. A chunk with a difference is therefore compared again, at most twice.
 */
export async function compareUntilSettled({ session, refreshDenied }: Scope, lines: string, compare: () => Promise<void>): Promise<void> {
  await compare()
  const table = session.dialect.table(verificationTable)
  for (let again = 0; again < 2 && refreshDenied !== undefined; again++) {
    const [wrong] = await session.query<{ rows: string }>(
      `SELECT sum(missing + different + coreMissing + coreDifferent) AS rows FROM ${table} FINAL WHERE ${lines}`,
    )
    if (Number(wrong!.rows) === 0) return
    await refreshDenied()
    await session.run(`DELETE FROM ${table} WHERE ${lines}`)
    await compare()
  }
}
