// Checks schemas, grants and the migration from v3 (contract §3.3).
import { counted, isAppError } from '@svc-server/errors'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { backfillGrants, missingGrants, requiredGrants } from '@svc-server/schema/migrations/grants'
import { planMigration } from '@svc-server/schema/migrations/migrate'
import { MigrationError } from '@svc-server/schema/migrations/migration-error'
import type { SchemaMigrations } from '../command.ts'
import type { Finding } from './finding.ts'

const area = 'migration'

async function orSaid(work: () => Promise<Finding>, fallback: Finding['area']): Promise<Finding> {
  try {
    return await work()
  } catch (error) {
    const isSaid = error instanceof MigrationError || (isAppError(error) && error.code === 'migration_failed')
    if (!isSaid) throw error
    return {
      area: fallback,
      state: 'fault',
      says: error.message,
      do: 'docs/runbooks/coming-from-v3.md explains this error and how to resolve it.',
    }
  }
}

/** `open` opens the relational store. Opening an embedded store migrates it, or fails. */
export async function examineMigrations(
  { columnStore, placement, relational }: SchemaMigrations,
  open: () => Promise<unknown>,
): Promise<readonly Finding[]> {
  const tables = await orSaid(async () => {
    const { steps } = await planMigration(columnStore, placement)
    if (steps.length === 0) return { area, state: 'ok', says: 'The column store’s schema has the newest version.' }
    return {
      area,
      state: 'warning',
      says: `The column store’s schema lacks ${counted(steps.length, 'migration step')}.`,
      do: 'Run svc migrate up --dry-run, then svc migrate up.',
    }
  }, area)
  const relations = await orSaid(async () => {
    const pending = await relational.pending({})
    if (pending.length === 0) {
      await open()
      return { area: 'relational store', state: 'ok', says: 'The relational store responds, and its schema has the newest version.' }
    }
    return {
      area: 'relational store',
      state: 'warning',
      says: `The relational store’s schema lacks ${pending.join(', ')}.`,
      do: 'svc migrate up',
    }
  }, 'relational store')
  const [needed, forBackfill] = [
    await missingGrants(columnStore, requiredGrants(placement)),
    await missingGrants(columnStore, backfillGrants(placement)),
  ]
  const grants: Finding =
    needed.length === 0
      ? { area, state: 'ok', says: 'The column store’s user has all required grants.' }
      : { area, state: 'fault', says: `The column store’s user lacks ${counted(needed.length, 'grant')}.`, do: needed.join('; ') }
  const merges: readonly Finding[] =
    forBackfill.length === 0
      ? []
      : [
          {
            area,
            state: 'warning',
            says: 'The column store’s user cannot pause merges during the backfill. Managed servers usually do not allow users to pause merges.',
            do: forBackfill.join('; '),
          },
        ]
  return [tables, relations, grants, ...merges]
}

/** Returns the phase of the migration from v3. */
export function phaseOf(writeMode: WriteMode, hasOldRows: boolean): Finding {
  if (writeMode === 'legacy')
    return {
      area,
      state: 'ok',
      says: 'Write mode legacy: only the tables of v3 are written.',
      do: 'Set the write mode to dual before you upgrade the SDKs (`svc sdks` lists them) or move consumers to the events tables. Then run `svc check` to confirm that nothing is unaccounted for, and migrate the history.',
    }
  if (writeMode === 'dual')
    return {
      area,
      state: 'ok',
      says: 'Write mode dual: the tables of v3 and the events tables are written.',
      do: 'Copy the history once. When `svc sdks` lists no SDK that must be upgraded, set the write mode to events_only, the OTLP behavior to direct, and the opt-in to true. This change cannot be undone.',
    }
  return hasOldRows
    ? {
        area,
        state: 'ok',
        says: 'Write mode events_only: at least one of the old tables (traces, observations) still contains rows.',
        do: 'Once no reader needs these rows: TRUNCATE both tables. Never DROP them.',
      }
    : { area, state: 'ok', says: 'Write mode events_only: nothing is left to do.' }
}
