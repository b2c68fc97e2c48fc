// Determines which migrations bring a column store from its recorded state to the target versions of the two lists. The code has no side
// effects, so a dry run shows exactly what a run does.
import { lastFormerShared } from './former-table.ts'
import { type ListName, lastV3Version, type Migration, newestOf, ownMigrations, sharedMigrations } from './list.ts'
import { MigrationError } from './migration-error.ts'
import { highestShared, recordOf, type SchemaState, sharedLevel } from './state.ts'

export interface PlannedStep {
  readonly list: ListName
  readonly migration: Migration
  readonly direction: 'up' | 'down'
}

export interface Targets {
  readonly target?: number
  readonly ownTarget?: number
}

/**
 * The plan first reverts those of our own migrations that the targets exclude. It then reverts or applies shared migrations. At the end, it
 * applies our own missing migrations. In a store of our former releases, `formerSteps` come before all other steps. Some of our own
 * migrations change a table that a shared migration creates. If a step recreates such a table, the plan repeats the migrations of our own
 * that change this table. Throws `unknown_target`.
 */
export function planSteps(state: SchemaState, targets: Targets): readonly PlannedStep[] {
  const shared = targetOf('shared', targets.target, lastV3Version)
  const own = targetOf('own', targets.ownTarget, 0)
  return [
    ...(state.isFormer ? formerSteps() : []),
    ...ownSteps('down', ({ version, since = 0 }) => (version > own || since > shared) && mayExist(state, version)).reverse(),
    ...sharedSteps(state, shared),
    ...ownSteps(
      'up',
      ({ version, since = 0 }) => version <= own && since <= shared && recordOf(state, 'own', version)?.state !== 'applied',
    ),
  ]
}

/**
 * A store of our former releases can have later migrations of the shared list, but lack earlier migrations. These steps run every
 * shared migration up to `lastFormerShared`. A single version number then describes which shared migrations the store has.
 */
export const formerSteps = (): readonly PlannedStep[] => up(lastFormerShared, () => false)

const ownSteps = (direction: 'up' | 'down', isDue: (migration: Migration) => boolean) =>
  ownMigrations.filter(isDue).map(entry('own', direction))

function sharedSteps(state: SchemaState, target: number): readonly PlannedStep[] {
  const [level, highest] = state.isFormer ? [lastFormerShared, lastFormerShared] : [sharedLevel(state), highestShared(state)]
  return [...down(target, version => version <= highest), ...up(target, version => version <= level)]
}

function targetOf(list: ListName, given: number | undefined, lowest: number): number {
  const newest = newestOf(list)
  const target = given ?? newest
  if (Number.isInteger(target) && target >= lowest && target <= newest) return target
  const text = `Version ${target} is out of range. Choose a version from ${lowest}${list === 'shared' ? ' (the last version of v3)' : ''} to ${newest}.`
  throw new MigrationError('unknown_target', text)
}

function mayExist(state: SchemaState, version: number): boolean {
  const recorded = recordOf(state, 'own', version)
  return recorded !== undefined && recorded.state !== 'reverted'
}

const entry = (list: ListName, direction: 'up' | 'down') => (migration: Migration) => ({ list, migration, direction })

function down(target: number, exists: (version: number) => boolean): readonly PlannedStep[] {
  return sharedMigrations
    .filter(m => m.version > target && exists(m.version))
    .reverse()
    .map(entry('shared', 'down'))
}

function up(target: number, isDone: (version: number) => boolean): readonly PlannedStep[] {
  return sharedMigrations.filter(m => m.version <= target && !isDone(m.version)).map(entry('shared', 'up'))
}
