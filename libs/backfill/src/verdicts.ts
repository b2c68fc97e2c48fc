// The table of the proof: one line for each chunk, project and kind, to be kept by who audits.
import { literal } from '@svc-server/column-store/literal'
import type { Dialect } from '@svc-server/schema/dialect'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'
import type { Scope } from './step.ts'

export const verificationTable = 'backfill_verification'

/**
 * What a row of the old tables is counted as. newer: the live path's, or a newer row of the same id stands in its place. denied: deleted by an operator. there: stood among the events already. written: by the backfill,
 * as expected, or with properties of a trace that has changed since the backfill looked for changes last. missing, different: not as expected; different, too, where
 * nobody made its trace a root, or it has an experiment and its trace no run item. coreMissing, coreDifferent: the same of events_core, which has texts cut to 200 characters.
 */
export const verdicts = ['source', 'newer', 'denied', 'there', 'written', 'missing', 'different', 'coreMissing', 'coreDifferent'] as const

export type Verdict = (typeof verdicts)[number]

export const createVerification = (dialect: Dialect): string =>
  `CREATE TABLE IF NOT EXISTS ${dialect.table(verificationTable)}${dialect.onCluster} (run String, kind LowCardinality(String), project_id String, month UInt32,
  chunk String, ${verdicts.map(verdict => `${verdict} UInt64`).join(', ')}, checksum UInt64, expected_checksum UInt64, at DateTime64(3, 'UTC') DEFAULT now64(3))
ENGINE = ${dialect.engine('ReplacingMergeTree', 'at')} ORDER BY (run, kind, project_id, month, chunk)`

/** Deleted by somebody. */
export function isDenied({ dialect }: Session, projectId: string, traceId: string): string {
  const denied = dialect.table(scratchNames.denied)
  return `((${projectId}, ${traceId}) IN (SELECT project_id, trace_id FROM ${denied})
      OR ${projectId} IN (SELECT project_id FROM ${denied} WHERE trace_id = ''))`
}

export const linesOf = (run: string, kind: string): string => `run = ${literal(run)} AND kind = ${literal(kind)}`

/** A trace that is deleted while its chunk is compared is gone from one side: then it is compared again, as a deleted one. */
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
