import { parseArgs } from 'node:util'
import { AppError, counted, isAppError } from '@svc-server/errors'
import { forgetSteps } from '@svc-server/relational/background-migrations'
import { instance } from '@svc-server/relational/tenancy'
import { createDialect } from '@svc-server/schema/dialect'
import { backfillGrants, missingGrants, requiredGrants } from '@svc-server/schema/migrations/grants'
import { eventsVersion, lastV3Version, newestOf } from '@svc-server/schema/migrations/list'
import { migrateColumnStore, planMigration } from '@svc-server/schema/migrations/migrate'
import { MigrationError } from '@svc-server/schema/migrations/migration-error'
import { statusOf } from '@svc-server/schema/migrations/status'
import { type Command, type CommandContext, type SchemaMigrations, UsageError } from '../command.ts'
import { hasTable } from '../has-table.ts'
import { addSessionsOfTraces } from '../v3-sessions.ts'
import { requireCaughtUp } from './consumers-behind.ts'

const help = `svc migrate status
svc migrate up [--to N] [--own-to N] [--give-up-background-migrations] [--dry-run]
svc migrate down --to N [--own-to N] [--force] [--yes] [--dry-run]

Show and change the schema versions of the column store and of the relational store. svc shares the version numbers up to 46 with v3, whose
last version is 37. \`down --to 37\` returns to a schema that v3's images accept, and drops the events tables with their rows. svc's own tables
have separate version numbers (--own-to) and are not dropped. The relational store cannot be migrated down; v3 accepts its schema unchanged.
Before the tables are dropped, the sessions of v4's traces are added to trace_sessions, because v3 shows only sessions with a row there.

Before going down, stop the services and take backups. Missing grants are reported before anything runs.

  --to N        target version in the numbers shared with v3 (up: default 46)
  --own-to N    target version in svc's own numbers (default 7)
  --dry-run     print the steps and their SQL, and change nothing
  --force       go down even if v3 will lack data: records of the log that are not stored yet, or rows that were accepted in
                events_only and exist only in the events tables
  --yes         confirm that tables with rows are dropped
  --give-up-background-migrations
                go up although background migrations of v3 are unfinished; data that these migrations have not copied is lost`

const options = {
  to: { type: 'string' },
  'own-to': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  'give-up-background-migrations': { type: 'boolean', default: false },
} as const

interface Wish {
  readonly target: number
  readonly ownTarget: number
  readonly dryRun: boolean
  readonly force: boolean
  readonly yes: boolean
  readonly giveUpUnfinished: boolean
}

function number(flag: string, text: string | undefined, lowest: number, newest: number): number {
  const value = text === undefined ? newest : Number(text)
  if (Number.isInteger(value) && value >= lowest && value <= newest) return value
  throw new UsageError(`--${flag} ${text}: give a version from ${lowest} to ${newest}.`)
}

function read(args: readonly string[]): Wish & { readonly direction: string | undefined; readonly hasTarget: boolean } {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
  if (positionals.length > 1) throw new UsageError(`give one of status, up and down, not ${positionals.join(' ')}.`)
  return {
    direction: positionals[0],
    hasTarget: values.to !== undefined || values['own-to'] !== undefined,
    target: number('to', values.to, lastV3Version, newestOf('shared')),
    ownTarget: number('own-to', values['own-to'], 0, newestOf('own')),
    dryRun: values['dry-run'],
    force: values.force,
    yes: values.yes,
    giveUpUnfinished: values['give-up-background-migrations'],
  }
}

/** Converts a MigrationError to an AppError, so that the operator sees its message. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MigrationError) throw new AppError('migration_failed', error.message, {}, { cause: error })
    throw error
  }
}

async function status(
  { columnStore, placement, relational }: SchemaMigrations,
  { print, relational: open }: CommandContext,
): Promise<void> {
  const said = (error: unknown) => {
    if (!isAppError(error) || error.code !== 'migration_failed') throw error
    return error.message
  }
  const ofTables = answered(() => planMigration(columnStore, placement)).then(({ state, steps }) => {
    const { shared, own } = statusOf(state)
    const at = `version ${shared.version ?? 'none'} of ${shared.newest}, own ${own.version} of ${own.newest}`
    return `${at}: ${steps.length === 0 ? 'nothing to do' : `${counted(steps.length, 'step')} to apply`}`
  }, said)
  const ofRelational = relational
    .pending({})
    .then(async pending => {
      if (pending.length > 0) return `lacks ${pending.join(', ')}`
      // Opening the embedded store migrates it, or fails if a newer release has migrated it.
      await open()
      return 'nothing to do'
    })
    .catch(said)
  print(`column store      ${await ofTables}`)
  print(`relational store  ${await ofRelational}`)
  const lacking = await missingGrants(columnStore, [...requiredGrants(placement), ...backfillGrants(placement)])
  if (lacking.length === 0) return
  print(
    '\nThe column store’s user lacks these grants. Managed servers do not allow SYSTEM grants. Without these, the backfill merges more slowly.',
  )
  for (const statement of lacking) print(`  ${statement}`)
}

async function move(
  direction: 'up' | 'down',
  wish: Wish,
  { columnStore, placement, relational, exclusive }: SchemaMigrations,
  context: CommandContext,
): Promise<void> {
  const { print } = context
  const goal = { ...placement, target: wish.target, ownTarget: wish.ownTarget }
  const { steps } = await answered(() => planMigration(columnStore, goal))
  if (direction === 'up' && steps.some(step => step.direction === 'down'))
    throw new UsageError('the target version is older: use svc migrate down.')
  if (wish.dryRun) {
    if (direction === 'up') for (const name of await relational.pending(wish)) print(`-- relational up ${name}`)
    for (const { list, migration, direction } of steps) {
      print(`-- ${list} ${direction} ${migration.version} ${migration.name}`)
      for (const statement of migration[direction](createDialect(placement))) print(`${statement};`)
    }
    return print(`-- ${counted(steps.length, 'step')}; nothing was changed.`)
  }
  if (direction === 'up') for (const name of await relational.apply(wish)) print(`relational up ${name}`)
  const onProgress = (step: { list: string; version: number; name: string; direction: string }) =>
    print(`${step.list} ${step.direction} ${step.version} ${step.name}`)
  await answered(() => exclusive(() => migrateColumnStore(columnStore, { ...goal, onProgress })))
  const { state } = await answered(() => planMigration(columnStore, goal))
  const { shared, own } = statusOf(state)
  print(
    `The column store is at version ${shared.version} of the migration list “shared” and at version ${own.version} of the migration list “own”.`,
  )
}

export const command: Command = {
  help,
  async run(args, context) {
    const { direction, hasTarget, ...wish } = read(args)
    if (direction === 'status') return status(await context.migrations(), context)
    if (direction !== 'up' && direction !== 'down') throw new UsageError('give status, up or down.')
    const goesDown = wish.target < newestOf('shared') || wish.ownTarget < newestOf('own')
    if (direction === 'down') {
      if (!hasTarget || !goesDown) throw new UsageError(`give a target version: down --to ${lastV3Version} returns to v3's schema.`)
      if (!wish.dryRun) await allowDown(wish, context)
    }
    if (direction === 'down' && !wish.dryRun && wish.target < eventsVersion) await prepareReturn(context)
    await move(direction, wish, await context.migrations(), context)
  },
}

async function prepareReturn({ migrations, relational: open, print }: CommandContext): Promise<void> {
  const relational = await open()
  // Marks the background steps as unfinished, so that they fill the tables again after a later `svc migrate up`.
  await forgetSteps(instance(relational))
  const added = await addSessionsOfTraces((await migrations()).columnStore, relational)
  print(`relational: ${counted(added, 'session')} added to trace_sessions`)
}

async function allowDown({ target, yes, force }: Wish, context: CommandContext): Promise<void> {
  if (context.servicesRunning) throw new UsageError('stop the instance before going down, because its services use these tables.')
  if (!yes) throw new UsageError(`going down to ${target} drops tables with their rows. Add --yes to drop them.`)
  if (force) return
  if (target < eventsVersion) await requireOldTables(context)
  await requireCaughtUp(await context.log())
}

/** Data accepted in events_only is only in the events tables, and no migration copies it back (contract §3.1: the point of commitment). */
async function requireOldTables({ writeMode, migrations }: CommandContext): Promise<void> {
  if (writeMode !== 'events_only') return
  const { columnStore } = await migrations()
  if (!(await hasTable(columnStore, 'events_full')) || (await columnStore.query('SELECT 1 FROM events_full LIMIT 1')).length === 0) return
  throw new AppError(
    'bad_request',
    'The write mode is events_only: spans that it accepted are only in the events tables and would be lost. Only legacy and dual have a way back. ' +
      'If the services run in legacy or dual, set SVC_MIGRATION_V4_WRITE_MODE for this command to the same value. To migrate down and lose the spans that only the events tables contain, add --force.',
  )
}
