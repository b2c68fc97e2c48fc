// Shows and controls the backfill, which converts v3's data to events.
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runChain } from '@svc-server/backfill/chain'
import { findCutoff, settle } from '@svc-server/backfill/cutoff'
import { loadOf, readHeadroom, requireHeadroom, spaceOf } from '@svc-server/backfill/load'
import { createPause } from '@svc-server/backfill/pause'
import { planOf } from '@svc-server/backfill/plan'
import { createSleep } from '@svc-server/backfill/sleep'
import { backfillStatus, foundNothing, missedInLegacy, type StepStatus } from '@svc-server/backfill/status'
import { paced, parseWindow } from '@svc-server/backfill/throttle'
import { coverageOf, isExact, verifyAll } from '@svc-server/backfill/verify'
import { AppError } from '@svc-server/errors'
import { forgetSteps, isChainPaused, retryFailedSteps, setChainPaused } from '@svc-server/relational/background-migrations'
import { instance } from '@svc-server/relational/tenancy'
import { createDialect } from '@svc-server/schema/dialect'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { table } from '../table.ts'

const help = `svc backfill status [--json]
svc backfill plan
svc backfill run [--max-rows-per-second N] [--window 22:00-06:00] [--dry-run] [--drop-scratch]
svc backfill pause | resume
svc backfill retry-failed
svc backfill again [--yes]
svc backfill verify [--project ID] [--month YYYYMM] [--json]

Show and control the migration of v3's data into the events tables: five background steps (docs/runbooks/backfill.md). One runner works at a time.

  status        show each step with its state, rows, rows per second, remaining time, and the reason of a failure
  plan          show the rows of the old tables by month, and whether the disk has enough free space
  run           run the steps in this process, beside or instead of the service. Exit code 0: done, 1: failed
  pause         let the runner finish its chunk and pause; resume continues
  retry-failed  continue a failed step where it stopped
  again         start all steps again, for data accepted in legacy after they began, or after a loss of the events tables. Existing rows are not
                written again. Without --yes, only print what would be done
  verify        compute from the old tables what the events tables should contain, and compare. Exit code 1 if rows are missing or
                different. The table backfill_verification keeps the result

  --max-rows-per-second N, --window HH:MM-HH:MM (UTC)
                limit the speed or the hours of the backfill, to protect new data
  --dry-run     do the same as plan
  --drop-scratch
                drop the scratch tables after the last step
  --project ID, --month YYYYMM
                verify only these rows
  --json        print one line of JSON per step; with verify: one line per project and month, and a last line with the total`

const options = {
  json: { type: 'boolean', default: false },
  'max-rows-per-second': { type: 'string' },
  window: { type: 'string' },
  project: { type: 'string' },
  month: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  'drop-scratch': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const

const limits = { maxRows: 100_000, maxBytes: 128 * 1024 * 1024 }

async function status({ relational, writeMode, print }: CommandContext, json: boolean): Promise<void> {
  const store = await relational()
  const steps = await backfillStatus(store, Date.now())
  if (json) return void steps.map(step => print(JSON.stringify(step)))
  // Shows at most 99 % until the step is finished, because the step can still be verifying its rows.
  const share = ({ status: of, ratio }: StepStatus) =>
    of === 'waiting' ? '-' : `${Math.min(of === 'finished' ? 100 : 99, Math.floor(ratio * 100))} %`
  const rows = steps.map(step => [
    ...[step.name, step.status, step.rows, share(step), step.month ?? '-'],
    ...[step.rowsPerSecond ?? '-', step.secondsLeft === null ? '-' : `${Math.ceil(step.secondsLeft / 60)} min`],
  ])
  print(table(['step', 'status', 'rows', 'done', 'month', 'rows/s', 'left'], rows))
  const cutoff = steps[0]?.cutoff
  if (foundNothing(steps)) print('\nThe tables of v3 were empty: there was nothing to migrate.')
  else if (cutoff) print(`\nRows from ${cutoff} on were written to the events tables when they arrived.`)
  else if (writeMode === 'legacy') print('\nIn write mode legacy, the backfill does not begin. It begins in dual or events_only.')
  const missed = missedInLegacy(steps)
  if (missed !== null) print(`\n${missed} Once every process runs in dual, svc backfill again migrates this data.`)
  if (await isChainPaused(instance(store))) print('The backfill is paused. To continue it, run svc backfill resume.')
  for (const { name, failedReason } of steps) if (failedReason !== null) print(`\n${name} failed: ${failedReason}`)
}

async function plan({ columnStore, print }: CommandContext): Promise<void> {
  const store = await columnStore()
  const months = await planOf(store, limits)
  if (months.length === 0) return print('The old tables are empty: there is nothing to migrate.')
  print(
    table(
      ['table', 'month', 'rows', 'chunks'],
      months.map(({ table, month, rows, chunks }) => [table, month, rows, chunks]),
    ),
  )
  print(`\n${(await readHeadroom(store)).says}`)
}

async function dialectOf({ migrations, columnStore }: CommandContext) {
  const [{ placement }, store] = [await migrations(), await columnStore()]
  return createDialect({ ...placement, database: store.database })
}

async function run(context: CommandContext, values: Values): Promise<void> {
  const { relational, columnStore, log, writeMode, print, signal } = context
  const [store, eventLog, dialect] = [await columnStore(), await log(), await dialectOf(context)]
  const db = await relational()
  const sleep = createSleep(signal)
  const pace = readPace(values)
  const pause = createPause({
    ...pace,
    ...{
      clock: Date.now,
      sleep,
      load: () => loadOf(store, eventLog),
      space: () => spaceOf(store),
      isPaused: () => isChainPaused(instance(db)),
      isStopping: () => signal?.aborted === true,
    },
    onWait: createSaying(print),
  })
  const end = await runChain({
    ...{
      relational: db,
      columnStore: store,
      dialect,
      owner: `svc-${randomUUID()}`,
      limits: paced(limits, pace.rowsPerSecond),
      pause,
      sleep,
    },
    isOpen: script => script !== 'dropPidTidSortingTables' || values['drop-scratch'],
    async findCutoff(notBeforeMs) {
      const { state, says } = await requireHeadroom(store)
      if (state === 'unknown') print(JSON.stringify({ warning: says }))
      return (await findCutoff({ log: eventLog, writeMode, clock: Date.now, sleep, notBeforeMs })).cutoffMs
    },
    settle: beforeMs => settle({ log: eventLog, writeMode, clock: Date.now, sleep }, beforeMs),
    onProgress: ({ name }, { current }) =>
      current && print(JSON.stringify({ step: name, month: current.walk.months[0] ?? null, ...current.progress })),
    onFailure: ({ name }, { month }, error) => print(JSON.stringify({ step: name, month, failed: String(error) })),
  })
  if (end.kind === 'failed') throw new AppError('backfill_failed', `${end.step.name} failed: ${end.reason}`)
  if (end.kind === 'interrupted') throw end.error
  if (end.kind === 'owned')
    throw new AppError('bad_request', `Another runner owns the backfill: ${end.by}. svc backfill status shows its progress.`)
  print(
    end.kind === 'finished'
      ? 'The backfill is finished.'
      : `All steps before ${end.step.name} are done. Add --drop-scratch to run this step, too.`,
  )
}

type Values = ReturnType<typeof parse>['values']
const parse = (args: readonly string[]) => parseArgs({ args: [...args], allowPositionals: true, options })

function readPace(values: Values) {
  const rate = values['max-rows-per-second']
  const rowsPerSecond = rate === undefined ? null : Number(rate)
  if (rowsPerSecond !== null && !(Number.isInteger(rowsPerSecond) && rowsPerSecond > 0)) {
    throw new UsageError(`--max-rows-per-second ${rate}: give a whole number of rows.`)
  }
  const window = values.window === undefined ? null : parseWindow(values.window)
  if (values.window !== undefined && window === null) throw new UsageError(`--window ${values.window}: give hours such as 22:00-06:00.`)
  return { rowsPerSecond, window }
}

function createSaying(print: (line: string) => void): (reason: string | null) => void {
  let said: string | null = null
  return reason => {
    if (reason !== said && reason !== null) print(JSON.stringify({ waits: reason }))
    said = reason
  }
}

async function again({ relational, writeMode, print }: CommandContext, { yes }: Values): Promise<void> {
  const store = await relational()
  if (writeMode === 'legacy')
    throw new UsageError(
      'the write mode is legacy: data that is accepted after the backfill would be missing from the events tables. Switch to dual first.',
    )
  const steps = await backfillStatus(store, Date.now())
  const current = steps.find(({ status }) => status === 'running')
  if (current) throw new AppError('bad_request', `${current.name} is running: wait until it ends, or stop its runner first.`)
  if (!yes)
    return print(
      'The five steps would start again and write the rows that the events tables lack. Nothing was done. Add --yes to start the steps again.',
    )
  await forgetSteps(instance(store))
  print('The steps start again when a backfill runner starts, or when you run the command svc backfill run.')
}

const maxLines = 1_000

async function verify(context: CommandContext, { json, project, month }: Values): Promise<void> {
  const { relational, columnStore, print, signal } = context
  if (month !== undefined && !/^\d{4}(0[1-9]|1[0-2])$/.test(month)) throw new UsageError(`--month ${month}: give a month such as 202609.`)
  const proof = await verifyAll({
    relational: await relational(),
    columnStore: await columnStore(),
    dialect: await dialectOf(context),
    limits,
    sleep: createSleep(signal),
    projectId: project,
    month: month === undefined ? undefined : Number(month),
  })
  if (proof.total.source === 0 && (project ?? month) !== undefined)
    print('The old tables have no rows of this project and month, so nothing was compared.')
  const lines = await coverageOf(proof.session, proof.run, maxLines)
  if (json) {
    for (const line of lines) print(JSON.stringify(line))
    print(JSON.stringify({ run: proof.run, total: proof.total }))
  } else {
    const rows = lines.map(line => [
      ...[line.projectId, line.month, line.kind, line.source, line.newer, line.denied, line.there, line.written],
      ...[line.missing, line.different, line.coreMissing + line.coreDifferent],
    ])
    print(table(['project', 'month', 'of', 'source', 'newer', 'denied', 'there', 'written', 'missing', 'different', 'in core'], rows))
    if (lines.length === maxLines) print(`\nOnly the first ${maxLines} lines are shown. Lines with differences come first.`)
    print(
      `\nIn all: ${Object.entries(proof.total)
        .map(([verdict, rows]) => `${verdict} ${rows}`)
        .join(', ')}.`,
    )
    print(`The complete result is in the table backfill_verification, in the rows whose column run is ${proof.run}.`)
  }
  if (!isExact(proof.total))
    throw new AppError('backfill_failed', 'The rows of the events tables differ from the rows that the backfill makes from the old tables.')
}

export const command: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parse(args)
    const [what, ...more] = positionals
    if (more.length > 0) throw new UsageError(`give only one word, not ${positionals.join(' ')}.`)
    switch (what) {
      case 'status':
        return status(context, values.json)
      case 'plan':
        return plan(context)
      case 'run':
        return values['dry-run'] ? plan(context) : run(context, values)
      case 'pause':
      case 'resume':
        await setChainPaused(instance(await context.relational()), what === 'pause')
        return context.print(what === 'pause' ? 'The runner finishes its current chunk and then pauses.' : 'The runner continues.')
      case 'retry-failed': {
        const names = await retryFailedSteps(instance(await context.relational()))
        return context.print(names.length === 0 ? 'No step has failed.' : `These steps continue where they stopped: ${names.join(', ')}.`)
      }
      case 'again':
        return again(context, values)
      case 'verify':
        return verify(context, values)
      default:
        throw new UsageError('give one of status, plan, run, pause, resume, retry-failed, again and verify.')
    }
  },
}
