// The backfill's rows of background_migrations: the owner of the steps, and the progress and outcome of each step (contract §§15.1, 15.2).
// The owner is a process that renews a lease with heartbeats. Each new owner gets a larger fence number than all earlier owners.
import { AppError } from '@svc-server/errors'
import { type BackfillScript, backfillSteps } from '../store/migrations/backfill-steps.ts'
import type { Instance } from '../tenancy/handles.ts'
import { sql } from '../tenancy/sql.ts'

export interface StepRow {
  readonly id: string
  readonly name: string
  readonly script: BackfillScript
  readonly state: Readonly<Record<string, unknown>>
  readonly finishedAt: Date | null
  readonly failedAt: Date | null
  readonly failedReason: string | null
  readonly workerId: string | null
  readonly lockedAt: Date | null
  readonly isLeased: boolean
  /**
   * Time at which a server in write mode `legacy` first ran after the backfill had begun; null if no such server ran. The records that such
   * a server has accepted since then are only in the v3 tables.
   */
  readonly legacySinceMs: number | null
  /** Null if the steps were never reset. */
  readonly anewMs: number | null
}

export interface Ownership {
  readonly owner: string
  readonly fence: number
}

const ids = sql.join(backfillSteps.map(({ id }) => id))
const now = sql`(now() at time zone 'utc')`
const lapsed = sql`(locked_at is null or locked_at < ${now} - interval '60 seconds')`

export const readSteps = (all: Instance): Promise<readonly StepRow[]> =>
  all.run(sql<StepRow>`select id, name, script, state, worker_id as "workerId", failed_reason as "failedReason",
    finished_at as "finishedAt", failed_at as "failedAt", locked_at as "lockedAt", not ${lapsed} as "isLeased",
    (args ->> 'legacySinceMs')::double precision as "legacySinceMs", (args ->> 'anewMs')::double precision as "anewMs"
    from background_migrations where id in (${ids}) order by name`)

/** Returns null if another process owns the steps. */
export const claimChain = (all: Instance, owner: string): Promise<Ownership | null> =>
  all.unaudited(async ({ run }) => {
    const rows = await run(sql<{ taken: boolean; fence: string }>`select not ${lapsed} and worker_id is distinct from ${owner} as taken,
      coalesce(state ->> 'fence', '0') as fence from background_migrations where id in (${ids}) order by name for update`)
    if (rows.some(({ taken }) => taken)) return null
    // The new number is at least the current time in milliseconds. Every number in the column store's fence table is based on an earlier
    // time. The new number is therefore larger than those numbers, even after an operator has cleared the states of the steps.
    const [clock] = await run(sql<{ ms: string }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`)
    const fence = rows.reduce((largest, row) => Math.max(largest, Number(row.fence) + 1), Number(clock!.ms))
    await run(sql`update background_migrations set worker_id = ${owner}, locked_at = ${now},
      state = jsonb_set(state, '{fence}', to_jsonb(${fence}::bigint)) where id in (${ids})`)
    return { owner, fence }
  })

async function asOwner(all: Instance, { owner, fence }: Ownership, set: ReturnType<typeof sql>, id: string): Promise<void> {
  const updated = await all.run(sql`update background_migrations set ${set} where ${id === '' ? sql`id in (${ids})` : sql`id = ${id}`}
    and worker_id = ${owner} and state ->> 'fence' = ${String(fence)} returning id`)
  if (updated.length === 0) throw new AppError('fenced', 'Another runner owns the backfill now.', { owner, fence })
}

/** Renews the lease. Throws `fenced` if a different process owns the steps. */
export const heartbeat = (all: Instance, ownership: Ownership): Promise<void> => asOwner(all, ownership, sql`locked_at = ${now}`, '')

/** Throws `fenced` if a different process owns the steps. */
export const saveState = (all: Instance, ownership: Ownership, id: string, state: Readonly<Record<string, unknown>>): Promise<void> =>
  asOwner(all, ownership, sql`state = ${JSON.stringify({ ...state, fence: ownership.fence })}::jsonb, locked_at = ${now}`, id)

export const finishStep = (all: Instance, ownership: Ownership, id: string): Promise<void> =>
  asOwner(all, ownership, sql`finished_at = ${now}, failed_at = null, failed_reason = null`, id)

export const failStep = (all: Instance, ownership: Ownership, id: string, reason: string): Promise<void> =>
  asOwner(all, ownership, sql`failed_at = ${now}, failed_reason = ${reason.slice(0, 10_000)}`, id)

export const releaseChain = (all: Instance, ownership: Ownership): Promise<void> => asOwner(all, ownership, sql`locked_at = null`, '')

/** If `isPaused` is true, the current runner pauses before the next chunk. If `isPaused` is false, the runner continues. */
export async function setChainPaused(all: Instance, isPaused: boolean): Promise<void> {
  await all.run(
    sql`update background_migrations set args = jsonb_set(args, '{paused}', to_jsonb(${isPaused}::boolean)) where id in (${ids})`,
  )
}

export async function isChainPaused(all: Instance): Promise<boolean> {
  const rows = await all.run(sql<{ paused: boolean }>`select coalesce(bool_or((args ->> 'paused')::boolean), false) as paused
    from background_migrations where id in (${ids})`)
  return rows[0]!.paused
}

/** Clears the failures, so that the next run continues the failed steps where they stopped. Returns the names of these steps. */
export async function retryFailedSteps(all: Instance): Promise<readonly string[]> {
  const rows = await all.run(sql<{ name: string }>`update background_migrations set failed_at = null, failed_reason = null
    where id in (${ids}) and failed_at is not null returning name`)
  return rows.map(({ name }) => name).sort()
}

/**
 * Notes that a process runs in write mode `legacy` at `atMs`, although the backfill has begun. The backfill will not migrate the records
 * that this process accepts. Only the time of the first call is kept.
 */
export async function noteLegacy(all: Instance, atMs: number): Promise<void> {
  await all.run(sql`update background_migrations set args = jsonb_set(args, '{legacySinceMs}', to_jsonb(${atMs}::bigint))
    where id in (${ids}) and args ->> 'legacySinceMs' is null`)
}

/** Resets all steps, so that the backfill starts again. This is needed if the events tables were dropped or lack rows. */
export async function forgetSteps(all: Instance): Promise<void> {
  await all.run(sql`update background_migrations set state = '{}', worker_id = null, locked_at = null, finished_at = null, failed_at = null, failed_reason = null,
    args = jsonb_set(args - 'legacySinceMs', '{anewMs}', to_jsonb(floor(extract(epoch from clock_timestamp()) * 1000)::bigint)) where id in (${ids})`)
}
