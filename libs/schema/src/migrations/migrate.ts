// Brings a column store to a version, up or down, from whatever state a crash left it in.
import { createDialect } from '../dialect.ts'
import { checksumOf, columnStoreMigrations, lastV3Version, type Migration } from './list.ts'
import { MigrationError } from './migration-error.ts'
import type { ColumnStorePort, MigrateOptions, MigrationStep } from './port.ts'
import { openVersionTable, type RecordedMigration } from './version-table.ts'

/**
 * Applies or reverts what stands between the recorded state and the target, one migration at a time, and gives what it did. Safe to run again
 * after a crash at any point, and from several processes at once: every statement may be repeated. Rejects with MigrationError.
 */
export async function migrateColumnStore(port: ColumnStorePort, options: MigrateOptions): Promise<readonly MigrationStep[]> {
  const dialect = createDialect(options)
  const newest = columnStoreMigrations.at(-1)!.version
  const target = options.target ?? newest
  if (!Number.isInteger(target) || target < lastV3Version || target > newest) {
    throw new MigrationError('unknown_target', `Version ${target} is not one of ${lastV3Version} (last of v3) to ${newest}.`)
  }
  const table = await openVersionTable(port, options)
  const recorded = await table.read()
  check(recorded, newest)

  const steps: MigrationStep[] = []
  for (const { migration, direction } of plan(recorded, target)) {
    const step = { version: migration.version, name: migration.name, direction }
    options.onProgress?.(step)
    await table.write(migration, direction === 'up' ? 'applying' : 'reverting')
    for (const statement of migration[direction](dialect)) await run(port, statement, step)
    await table.write(migration, direction === 'up' ? 'applied' : 'reverted')
    steps.push(step)
  }
  return steps
}

const isApplied = (record: RecordedMigration | undefined) => record?.state === 'applied'
/** Anything but a finished revert may have left objects behind. */
const mayExist = (record: RecordedMigration | undefined) => record !== undefined && record.state !== 'reverted'

function plan(recorded: readonly RecordedMigration[], target: number) {
  const known = new Map(recorded.map(record => [record.version, record]))
  const down = columnStoreMigrations.filter(m => m.version > target && mayExist(known.get(m.version))).reverse()
  const up = columnStoreMigrations.filter(m => m.version <= target && !isApplied(known.get(m.version)))
  const entry = (direction: 'up' | 'down') => (migration: Migration) => ({ migration, direction })
  return [...down.map(entry('down')), ...up.map(entry('up'))]
}

function check(recorded: readonly RecordedMigration[], newest: number): void {
  const ahead = recorded.filter(record => record.version > newest && mayExist(record)).at(-1)
  if (ahead !== undefined) {
    const text = `The column store is at version ${ahead.version}, this release knows up to ${newest}. Deploy the newer release, or revert with it first.`
    throw new MigrationError('newer_schema', text)
  }
  for (const migration of columnStoreMigrations) {
    const record = recorded.find(r => r.version === migration.version)
    if (isApplied(record) && record!.checksum !== checksumOf(migration)) {
      const text = `Migration ${migration.version} (${migration.name}) was applied with other text: ${record!.checksum}, now ${checksumOf(migration)}.`
      throw new MigrationError('changed_migration', `${text} A released migration must not change; the change belongs into a new one.`)
    }
  }
}

async function run(port: ColumnStorePort, statement: string, step: MigrationStep): Promise<void> {
  try {
    await port.command(statement)
  } catch (cause) {
    const text = `Migration ${step.version} (${step.name}, ${step.direction}) failed: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new MigrationError('statement_failed', text, { cause })
  }
}
