import { readSteps, retryFailedSteps } from '@svc-server/relational/background-migrations'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { openTestStore } from '@svc-server/relational/test-stores'
import { createDialect } from '@svc-server/schema/dialect'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry, createMetrics } from '@svc-server/service/metrics'
import { waitFor } from '@svc-server/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunner } from '../src/app.ts'
import { backfillMetrics } from '../src/metrics.ts'

let relational: RelationalStore

beforeAll(async () => {
  relational = await openTestStore()
})
afterAll(async () => {
  await relational.close()
})

const unused = () => Promise.reject(new Error('nothing is asked while a step is failed'))

async function gaugesOf(
  work: () => Promise<void>,
  writeMode: Parameters<typeof createRunner>[0]['config']['writeMode'] = 'dual',
): Promise<string> {
  const registry = createMetricRegistry({ runtime: false })
  const bugs: unknown[] = []
  const runner = createRunner({
    config: {
      writeMode,
      isEnabled: false,
      dropScratch: false,
      maxRows: 1,
      maxBytes: 1,
      rowsPerSecond: null,
      window: null,
    } as never,
    ...{ relational, columnStore: { query: unused, command: unused } as never, log: {} as never },
    ...{ dialect: createDialect({ database: 'd', clustered: false }), owner: 'test', clock: Date.now },
    ...{ logger: createLogger({ service: 'test', level: 'silent' }), metrics: createMetrics(backfillMetrics, registry) },
    onBug: error => bugs.push(error),
  })
  await runner.start()
  await waitFor(async () => /svc_backfill_state\{.*\} 1/.test(await registry.render()), { what: 'the runner to look' })
  await work()
  const text = await registry.render()
  await runner.drain()
  expect(bugs).toEqual([])
  return text
}

test('the alert’s gauge is 1 while a step is failed, and 0 after the step was released for a retry', async () => {
  await sql`update background_migrations set failed_at = now(), failed_reason = 'no space' where name like '20260701%step_1%'`.execute(
    relational.db,
  )
  const failed = await gaugesOf(async () => {})
  expect(failed).toMatch(/^svc_backfill_failed 1$/m)
  expect(failed).toMatch(/^svc_backfill_state\{state="failed"\} 1$/m)
  expect(await retryFailedSteps(instance(relational))).toHaveLength(1)
  expect(await gaugesOf(async () => {})).toMatch(/^svc_backfill_failed 0$/m)
})

test('the first start in legacy mode after the backfill has begun is noted, and an earlier start is not', async () => {
  const noted = async () => (await readSteps(instance(relational)))[0]!.legacySinceMs
  await gaugesOf(async () => {}, 'legacy')
  expect(await noted()).toBeNull()
  const begun = JSON.stringify({ startedMs: 1, cutoffMs: 1, phase: 0, done: [] })
  await sql`update background_migrations set state = ${begun}, finished_at = now() where name like '20260701%step_1%'`.execute(
    relational.db,
  )
  await gaugesOf(async () => {})
  expect(await noted()).toBeNull()
  await gaugesOf(async () => {}, 'legacy')
  const first = await noted()
  expect(first).toBeGreaterThan(Date.now() - 60_000)
  await gaugesOf(async () => {}, 'legacy')
  expect(await noted()).toBe(first)
})
