// Runs the backfill's proof, and adds up the proof's verdicts. The command `svc backfill verify` and the end of the backfill's step 4 use
// this module.

import { randomUUID } from 'node:crypto'
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { readSteps } from '@svc-server/relational/background-migrations'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import type { Dialect } from '@svc-server/schema/dialect'
import type { Limits } from './chunks.ts'
import { readDenied } from './denied.ts'
import { createScratch } from './scratch.ts'
import { createSession, type Session } from './session.ts'
import { stepStateOf } from './step-state.ts'
import { type Verdict, verdicts, verificationTable } from './verdicts.ts'
import { verifyPhases } from './verification.ts'
import { beginAt, walkPhase } from './walk-phase.ts'

export type Counts = Readonly<Record<Verdict, number>>

export interface Coverage extends Counts {
  readonly kind: string
  readonly projectId: string
  readonly month: number
}

const wrong: readonly Verdict[] = ['missing', 'different', 'coreMissing', 'coreDifferent']

export const isExact = (counts: Counts): boolean => wrong.every(verdict => counts[verdict] === 0)

const sums = verdicts.map(verdict => `toFloat64(sum(v.${verdict})) AS ${verdict}`).join(', ')

const ofRun = ({ dialect }: Pick<Session, 'dialect'>, run: string) =>
  `${dialect.table(verificationTable)} AS v FINAL WHERE v.run = ${literal(run)}`

async function totalOf(session: Pick<Session, 'dialect' | 'query'>, run: string): Promise<Counts> {
  const [row] = await session.query<Counts>(`SELECT ${sums} FROM ${ofRun(session, run)}`)
  return row!
}

/** Returns the verdicts by project and month. Months with missing or different rows come first. In both groups, newer months come first. */
export const coverageOf = (session: Pick<Session, 'dialect' | 'query'>, run: string, limit: number): Promise<readonly Coverage[]> =>
  session.query<Coverage>(
    `SELECT v.kind AS kind, v.project_id AS projectId, v.month AS month, ${sums} FROM ${ofRun(session, run)} GROUP BY kind, projectId, month
     ORDER BY ${wrong.join(' + ')} > 0 DESC, month DESC, projectId, kind LIMIT ${limit}`,
  )

/** Throws `backfill_failed` if rows are missing or different. The error has the number of these rows, and the query that shows them. */
export async function requireExact(session: Pick<Session, 'dialect' | 'query'>, run: string): Promise<void> {
  const total = await totalOf(session, run)
  if (isExact(total)) return
  const numbers = verdicts.map(verdict => `${verdict} ${total[verdict]}`).join(', ')
  const query = `SELECT * FROM ${ofRun(session, run)} AND v.missing + v.different + v.coreMissing + v.coreDifferent > 0`
  throw new AppError('backfill_failed', `The proof found differences: ${numbers}. This query shows them: ${query}`)
}

export interface VerifyOptions {
  readonly relational: Pick<RelationalStore, 'db'>
  readonly columnStore: ColumnStore
  readonly dialect: Dialect
  readonly limits: Limits
  readonly sleep: (ms: number) => Promise<void>
  /** If set, only rows of this project are checked. */
  readonly projectId?: string | undefined
  /** The month (YYYYMM) whose rows are checked. If undefined, the rows of all months are checked. */
  readonly month?: number | undefined
}

/** Runs the proof with a new run id. The process does not need to own the backfill. Throws `bad_request` if the backfill has not begun. */
export async function verifyAll({ relational, columnStore, dialect, limits, sleep, projectId, month }: VerifyOptions) {
  const steps = await readSteps(instance(relational))
  const [first] = steps
  const { cutoffMs } = stepStateOf(first!.state)
  if (cutoffMs === undefined) throw new AppError('bad_request', 'The backfill has not started, so there is nothing to compare yet.')
  const { settledMs } = stepStateOf(steps.find(({ script }) => script === 'backfillEventsFullFromDatasetRunItems')!.state)
  const run = randomUUID()
  const session = createSession({ columnStore, dialect, owner: run, fence: null, sleep })
  for (const statement of createScratch(dialect)) await columnStore.command(statement)
  const denied = readDenied(relational, session)
  await denied.refresh()
  for (const phase of verifyPhases(run, { ...(projectId !== undefined && { projectId }), month })) {
    await walkPhase(
      phase,
      { session, cutoffMs, settledMs, refreshDenied: denied.refresh },
      // A phase that reads run items reads all months even if only `month` is verified, because a run item of another month can have spans
      // in `month`.
      month === undefined || phase.source === null || phase.source.only !== undefined ? undefined : beginAt([month]),
      { limits, sleep, save: async () => {}, pause: async () => {} },
    )
  }
  return { run, session, total: await totalOf(session, run) }
}
