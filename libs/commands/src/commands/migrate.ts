// Schema migrations by hand: what is applied, and the way up or down. Services apply what is missing when
// they start.
import { parseArgs } from 'node:util'
import { AppError } from '@svc-server/errors'
import { lastV3Version, newestOf } from '@svc-server/schema/migrations/list'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { MigrationError } from '@svc-server/schema/migrations/migration-error'
import { type Command, UsageError } from '../command.ts'

const help = `svc migrate [--target N] [--clustered] [--yes]

Brings the column store's tables to the newest version, or to version N, up or down.
Going below 39 drops the events tables with their rows: stop the writers and take a backup first.

  --target N    version to end at (default: the newest)
  --clustered   replicated tables, ON CLUSTER (COLUMNSTORE_CLUSTER_ENABLED=true)
  --yes         confirms a target that drops tables`

const newest = newestOf('shared')

export const command: Command = {
  help,
  async run(args, { columnStore, servicesRunning, print }) {
    const { values } = parseArgs({
      args: [...args],
      options: { target: { type: 'string' }, clustered: { type: 'boolean', default: false }, yes: { type: 'boolean', default: false } },
    })
    const target = values.target === undefined ? newest : Number(values.target)
    if (!Number.isInteger(target) || target < lastV3Version || target > newest) {
      throw new UsageError(`--target ${values.target}: give a version from ${lastV3Version} (the last of v3) to ${newest}.`)
    }
    if (target < newest && servicesRunning) throw new UsageError('going down needs a stopped instance: its writer uses these tables.')
    if (target < newest && !values.yes)
      throw new UsageError(`going down to ${target} drops tables with their rows. Add --yes when that is meant.`)
    const store = await columnStore()
    const onProgress = (step: { version: number; name: string; direction: string }) =>
      print(`${step.direction} ${step.version} ${step.name}`)
    try {
      await migrateColumnStore(store, { database: store.database, clustered: values.clustered, target, onProgress })
    } catch (error) {
      if (error instanceof MigrationError) throw new AppError('migration_failed', error.message, { target }, { cause: error })
      throw error
    }
    print(`The column store is at version ${target}.`)
  },
}
