// Migrates a column store to a version, from any state that a crash, an earlier release or v3 left.
import { createDialect, type Dialect } from '../dialect.ts'
import { copyFormer, dropFormer, lastFormerShared } from './former-table.ts'
import { checkGrants } from './grants.ts'
import { lastV3Version } from './list.ts'
import { MigrationError } from './migration-error.ts'
import { formerSteps, type PlannedStep, planSteps } from './plan.ts'
import type { ColumnStorePort, MigrateOptions, MigrationStep } from './port.ts'
import { createRecordTable, record, type StateChange } from './record-table.ts'
import { checkShapes } from './shape.ts'
import { checkState, readState, type SchemaState, sharedLevel } from './state.ts'
import { createVersionTable, writeVersion } from './version-table.ts'

export interface MigrationPlan {
  readonly state: SchemaState
  readonly steps: readonly PlannedStep[]
}

/** Returns the steps that a run would take. Rejects with MigrationError if the state forbids the run. */
export async function planMigration(port: ColumnStorePort, options: MigrateOptions): Promise<MigrationPlan> {
  const dialect = createDialect(options)
  const state = await readState(port, dialect, options.database)
  checkState(state, dialect)
  const steps = planSteps(state, options)
  if (steps.length > 0) await checkGrants(port, options)
  if (steps.some(step => step.direction === 'up')) await checkShapes(port, dialect, options.database)
  return { state, steps }
}

/**
 * Runs the migrations that lead from the recorded state to the targets, one after another, and returns these migrations. A migration can be
 * repeated after a crash. Several processes can call this function at the same time. Rejects with MigrationError.
 */
export async function migrateColumnStore(port: ColumnStorePort, options: MigrateOptions): Promise<readonly MigrationStep[]> {
  const dialect = createDialect(options)
  const { state, steps } = await planMigration(port, options)
  if (steps.length === 0) return []
  const tell = (step: PlannedStep) => options.onProgress?.(told(step))
  await port.command(createRecordTable(dialect))
  const first = state.isFormer ? steps.slice(0, formerSteps().length) : []
  if (state.isFormer) await leaveFormer(port, dialect, first, tell)
  await port.command(createVersionTable(dialect))
  const level = state.isFormer ? lastFormerShared : sharedLevel(state)
  if (state.shared.version === undefined && level >= lastV3Version) await writeVersion(port, dialect, level, false)
  await (isFresh(state) ? takeAtOnce(port, dialect, steps, tell) : takeEach(port, dialect, steps.slice(first.length), tell))
  return steps.map(told)
}

const isFresh = ({ shared, records, isFormer }: SchemaState) => shared.version === undefined && records.length === 0 && !isFormer

/**
 * Copies the former table to the new tables, and then drops the former table. Until it is dropped, the former table determines the state of
 * the migrations.
 */
async function leaveFormer(port: ColumnStorePort, dialect: Dialect, steps: readonly PlannedStep[], tell: Tell): Promise<void> {
  await port.command(copyFormer(dialect))
  for (const step of steps) {
    tell(step)
    await run(port, dialect, step)
  }
  await record(port, dialect, steps.map(ended))
  await port.command(dropFormer(dialect))
}

const told = ({ list, migration, direction }: PlannedStep): MigrationStep => ({
  list,
  version: migration.version,
  name: migration.name,
  direction,
})

const begun = ({ list, migration, direction }: PlannedStep): StateChange => ({
  list,
  migration,
  state: direction === 'up' ? 'applying' : 'reverting',
})

const ended = ({ list, migration, direction }: PlannedStep): StateChange => ({
  list,
  migration,
  state: direction === 'up' ? 'applied' : 'reverted',
})

type Tell = (step: PlannedStep) => void

async function takeEach(port: ColumnStorePort, dialect: Dialect, steps: readonly PlannedStep[], tell: Tell): Promise<void> {
  for (const step of steps) {
    tell(step)
    const { list, migration, direction } = step
    // `record` writes a row to svc_migrations before `writeVersion` marks the version as dirty. After a crash, this row shows that our own
    // migration left the version dirty.
    await record(port, dialect, [begun(step)])
    const reached = direction === 'up' ? migration.version : migration.version - 1
    if (list === 'shared') await writeVersion(port, dialect, reached, true)
    await run(port, dialect, step)
    if (list === 'shared') await writeVersion(port, dialect, reached, false)
    await record(port, dialect, [ended(step)])
  }
}

/**
 * A first start applies all migrations as one step. Separate steps would take three times as long. After a crash, the next run repeats the
 * step.
 */
async function takeAtOnce(port: ColumnStorePort, dialect: Dialect, steps: readonly PlannedStep[], tell: Tell): Promise<void> {
  const reached = steps.findLast(({ list }) => list === 'shared')!.migration.version
  await record(port, dialect, steps.map(begun))
  await writeVersion(port, dialect, reached, true)
  for (const step of steps) {
    tell(step)
    await run(port, dialect, step)
  }
  await writeVersion(port, dialect, reached, false)
  await record(port, dialect, steps.map(ended))
}

async function run(port: ColumnStorePort, dialect: Dialect, { migration, direction }: PlannedStep): Promise<void> {
  try {
    for (const statement of migration[direction](dialect)) await port.command(statement)
  } catch (cause) {
    const text = `Migration ${migration.version} (${migration.name}, ${direction}) failed: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new MigrationError('statement_failed', text, { cause })
  }
}
