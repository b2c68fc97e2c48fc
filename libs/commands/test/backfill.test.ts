import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { claimChain, noteLegacy, releaseChain } from '@svc-server/relational/background-migrations'
import { instance } from '@svc-server/relational/tenancy'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { CommandContext } from '../src/command.ts'
import { runCommand } from '../src/run.ts'
import { relational, theFileHasARelationalStore } from './relational.ts'

theFileHasARelationalStore()

let writeMode: WriteMode = 'dual'

async function svc(...argv: string[]) {
  const lines: string[] = []
  const context: CommandContext = {
    keys: () => Promise.reject(new Error('not asked')),
    relational: async () => relational,
    log: async () => ({}) as EventLog,
    columnStore: async () => ({ database: 'd' }) as ColumnStore,
    migrations: async () => ({ placement: { database: 'd', clustered: false, clusterName: 'default' } }) as never,
    ...{ writeMode, servicesRunning: true },
    print: line => lines.push(line),
  }
  const code = await runCommand(argv, context, line => lines.push(line))
  return { code, text: lines.join('\n') }
}

test('after a failed step, run prints the reason and exits with 1, status shows the reason, and retry-failed resets the step once', async () => {
  await sql`update background_migrations set failed_at = now(), failed_reason = 'virtual roots, 202601, behind null up to null: no space'
    where name like '20260701%step_1%'`.execute(relational.db)
  const run = await svc('backfill', 'run')
  expect(run).toMatchObject({ code: 1, text: expect.stringContaining('virtual roots, 202601, behind null up to null: no space') })
  const status = await svc('backfill', 'status')
  expect(status).toMatchObject({ code: 0, text: expect.stringMatching(/step_1\S* +failed/) })
  expect(status.text).toContain('no space')
  const [first, second] = (await svc('backfill', 'status', '--json')).text.split('\n').map(line => JSON.parse(line) as { status: string })
  expect([first!.status, second!.status]).toEqual(['failed', 'waiting'])
  expect((await svc('backfill', 'retry-failed')).text).toContain('These steps continue where they stopped: 20260701_v4_step_1')
  expect((await svc('backfill', 'retry-failed')).text).toBe('No step has failed.')
  expect((await svc('backfill', 'status')).text).not.toContain('no space')
})

test('a step whose rows are all migrated shows 99 % until it finishes', async () => {
  const done = { rows: 5, totalRows: 5, chunks: 1 }
  const state = JSON.stringify({ startedMs: 1, phase: 2, done: [done, done] })
  const set = (finishedAt: Date | null) =>
    sql`update background_migrations set state = ${state}, finished_at = ${finishedAt} where name like '20260701%step_1%'`.execute(
      relational.db,
    )
  await set(null)
  expect((await svc('backfill', 'status')).text).toMatch(/step_1.* 99 %/)
  await set(new Date())
  expect((await svc('backfill', 'status')).text).toMatch(/step_1.* 100 %/)
})

test('status shows the cutoff time, or that there was nothing to migrate, or when the backfill begins', async () => {
  const set = (rows: number | null) => {
    const part = { rows, totalRows: rows, chunks: 1 }
    const state = JSON.stringify(rows === null ? {} : { startedMs: 1, cutoffMs: Date.UTC(2026, 6, 1), phase: 1, done: [part] })
    const finishedAt = rows === null ? null : new Date()
    return sql`update background_migrations set state = ${state}, finished_at = ${finishedAt} where name like '20260701%step_1%'`.execute(
      relational.db,
    )
  }
  await set(7)
  expect((await svc('backfill', 'status')).text).toContain('Rows from 2026-07-01T00:00:00.000Z on were written to the events tables')
  await set(0)
  const { text } = await svc('backfill', 'status')
  expect(text).toContain('there was nothing to migrate')
  expect(text).not.toContain('Rows from')
  await set(null)
  writeMode = 'legacy'
  onTestFinished(() => void (writeMode = 'dual'))
  expect((await svc('backfill', 'status')).text).toContain(
    'In write mode legacy, the backfill does not begin. It begins in dual or events_only.',
  )
})

test('status warns of data accepted in legacy after the backfill began, until the steps start over; starting over needs --yes', async () => {
  const begun = JSON.stringify({ startedMs: 1, cutoffMs: Date.UTC(2026, 6, 1), phase: 0, done: [] })
  await sql`update background_migrations set state = ${begun}, finished_at = now() where name like '20260701%step_1%'`.execute(
    relational.db,
  )
  for (const day of [2, 3]) await noteLegacy(instance(relational), Date.UTC(2026, 6, day))
  const missed = 'Data accepted in write mode legacy since 2026-07-02T00:00:00.000Z is not in the events tables'
  expect((await svc('backfill', 'status')).text).toContain(missed)
  writeMode = 'legacy'
  onTestFinished(() => void (writeMode = 'dual'))
  expect(await svc('backfill', 'again', '--yes')).toMatchObject({ code: 2, text: expect.stringContaining('Switch to dual first') })
  writeMode = 'dual'
  expect((await svc('backfill', 'again')).text).toContain('Nothing was done. Add --yes to start the steps again.')
  expect((await svc('backfill', 'status')).text).toContain(missed)
  const owned = (await claimChain(instance(relational), 'runner'))!
  await sql`update background_migrations set finished_at = null where name like '20260701%step_1%'`.execute(relational.db)
  expect(await svc('backfill', 'again', '--yes')).toMatchObject({
    code: 1,
    text: expect.stringContaining('wait until it ends, or stop its runner'),
  })
  await releaseChain(instance(relational), owned)
  expect((await svc('backfill', 'again', '--yes')).code).toBe(0)
  const { text } = await svc('backfill', 'status')
  expect(text).toMatch(/step_1\S* +waiting/)
  expect(text).not.toContain('legacy')
})

test('pause and resume take effect, and status shows the pause', async () => {
  expect((await svc('backfill', 'pause')).code).toBe(0)
  expect((await svc('backfill', 'status')).text).toContain('The backfill is paused. To continue it, run svc backfill resume.')
  expect((await svc('backfill', 'resume')).code).toBe(0)
  expect((await svc('backfill', 'status')).text).not.toContain('Paused')
})

test.each([['backfill'], ['backfill', 'go'], ['backfill', 'run', '--window', '25:00-26:00'], ['backfill', 'verify', '--month', '2026']])(
  'svc %s %s %s %s exits with 2',
  async (...argv) => {
    expect((await svc(...argv.filter(each => each !== undefined))).code).toBe(2)
  },
)
