import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createHealth, type Health } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry, createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { createMonitorPage } from '@svc-server/service/probes'
import { waitFor } from '@svc-server/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createPropagationHealth } from '../src/health.ts'
import { propagatorMetrics } from '../src/metrics.ts'
import { problemsOf } from './published.ts'
import { hexOf, type StagedRecord, startUs } from './staged.ts'
import { createWorld, testConfig, type World } from './world.ts'

const record = (number: number, padding = ''): StagedRecord => ({
  projectId: 'project',
  traceId: hexOf(number, 32),
  spans: [{ spanId: hexOf(number, 16), startUs, says: { 'user.id': `user ${number}`, padding } }],
})

const minute = 60_000
const stuckThresholdMs = 15 * minute

/** Returns a function that queries the health endpoint. Monitoring sends the same query. */
async function workerHealth(world: World): Promise<() => Promise<number>> {
  const answer = createMonitorPage({
    health: world.running.health,
    reports: () => ({ eventPropagation: world.running.service.report }),
  })
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/api/health?failIfEventPropagationStuck=true&failIfQueueConsumptionStuck=true`
  return async () => (await fetch(url)).status
}

const turned = async (world: World, times = 2): Promise<void> => {
  const { turns } = world.running
  await waitFor(() => world.running.turns >= turns + times, { what: 'the partition to be looked at' })
}

test('F27 · a propagator that is idle for hours is healthy', async () => {
  await using world = await createWorld({ config: { stuckThresholdMs } })
  await world.start()
  const status = await workerHealth(world)
  expect(await world.running.service.report()).toMatchObject({
    enabled: true,
    stuck: false,
    lastRunStartedAt: null,
    secondsSinceLastRun: null,
  })
  await world.stage([record(1)])
  await world.settled()
  world.advance(600 * minute)
  expect(await status()).toBe(200)
  const report = await world.running.service.report()
  expect(report).toMatchObject({ stuck: false, propagationDelaySeconds: 0, thresholdSeconds: 900 })
  expect(report.secondsSinceLastRun).toBeGreaterThanOrEqual(600 * 60)
  expect(Date.parse(report.lastProcessedPartition!)).toBeGreaterThan(startUs / 1000)
})

test('F27 · spans that wait in a long window are no backlog, and health stays green', async () => {
  await using world = await createWorld({ config: { windowMs: 30 * minute, stuckThresholdMs } })
  await world.start()
  const status = await workerHealth(world)
  for (let passed = 0; passed < 25; passed += 5) {
    await world.stage([record(1 + passed)])
    world.advance(5 * minute)
    expect(await status()).toBe(200)
  }
  expect((await world.running.service.report()).thresholdSeconds).toBe(60 * 60)
})

test('F27 · refused commits are reported as stuck after the threshold, and health recovers by itself', async () => {
  await using world = await createWorld({ config: { stuckThresholdMs } })
  const { faults } = await world.start()
  const status = await workerHealth(world)
  let refused = 0
  faults.fate = () => {
    refused++
    return 'refused'
  }
  await world.stage([record(1), record(2)])
  expect(await status()).toBe(200)
  await waitFor(
    () => {
      world.advance(50)
      return refused > 0
    },
    { what: 'a refused publication' },
  )
  expect(await status()).toBe(200)
  world.advance(stuckThresholdMs)
  expect(await status()).toBe(503)
  const { stuck, reason, propagationDelaySeconds } = await world.running.service.report()
  expect(stuck).toBe(true)
  expect(reason).toContain(topicNames.staging)
  expect(propagationDelaySeconds).toBeGreaterThanOrEqual(900)
  expect(await world.running.metric('svc_propagator_retries_total', 'log_unavailable')).toBeGreaterThan(0)

  faults.fate = () => 'done'
  await world.settled()
  expect(await status()).toBe(200)
  expect((await world.running.service.report()).stuck).toBe(false)
  expect(problemsOf(await world.published())).toEqual([])
})

test('F27 · a full spans.filled, whose reader is behind, is reported as stuck until the reader has caught up', async () => {
  await using world = await createWorld({
    partitions: 1,
    maxTopicBytes: { [topicNames.filled]: 40_000 },
    config: { stuckThresholdMs, publishBytes: 8_000 },
  })
  await world.start()
  const status = await workerHealth(world)
  for (let number = 1; number <= 30; number++) await world.stage([record(number, 'x'.repeat(3_000))])
  world.advance(testConfig.windowMs * 2)
  await waitFor(async () => (await world.running.metric('svc_propagator_retries_total', 'log_full')) > 0, {
    what: 'a full topic',
  })
  expect(await status()).toBe(200)
  world.advance(stuckThresholdMs + minute)
  expect(await status()).toBe(503)

  const reader = await world.log.consume({
    group: groupNames.writer,
    topics: [topicNames.filled],
    minBytes: 1,
    maxWaitMs: 10,
    maxBatchBytes: 1 << 20,
    concurrency: 1,
    async onBatch(batch, context) {
      await context.commit(batch.nextOffset, '')
      return { kind: 'done' }
    },
    onFatal: error => {
      throw error
    },
  })
  await world.settled()
  await reader.stop()
  expect(await status()).toBe(200)
  // The log's retention may have deleted some of the 30 spans from the log, but the ledger contains all of them.
  const { ledger } = await world.published()
  expect(ledger.reduce((sum, { rows }) => sum + rows, 0)).toBe(30)
})

test('F28 · when the log’s clock steps an hour forward and back, no window closes early or twice, no lag is negative, and all is published', async () => {
  await using world = await createWorld({ partitions: 1, config: { windowMs: 3_600, graceMs: 200 } })
  await world.start()
  const windows = (closedBy = '') => world.running.metric('svc_propagator_windows_total', closedBy)
  const expectNoNegative = async () => {
    for (const name of ['svc_propagator_lag_seconds', 'svc_propagator_oldest_window_age_seconds']) {
      expect(await world.running.metric(name), name).toBeGreaterThanOrEqual(0)
    }
    expect((await world.running.service.report()).propagationDelaySeconds).toBeGreaterThanOrEqual(0)
  }
  await world.stage([record(1)])
  await turned(world)
  world.clock.advance(60 * minute)
  await turned(world)
  expect(await windows()).toBe(0)
  await world.stage([record(2)])
  await waitFor(async () => (await windows('record')) === 1, {
    what: 'the first window to be closed by the second record',
  })
  await turned(world)
  expect(await windows()).toBe(1)
  await expectNoNegative()

  // The broker's clock is set back by an hour. Append times never decrease, so the log then raises them only very slowly. Now only the
  // clock of the process can close a window, and only after this clock has advanced by the full length of the window.
  world.clock.advance(-60 * minute)
  for (let step = 0; step < 4; step++) {
    await world.stage([record(3 + step)])
    world.monotonic.advance(700)
    await turned(world)
    expect(await windows(), `${step}`).toBe(1)
    await expectNoNegative()
  }
  world.monotonic.advance(1_100)
  await waitFor(async () => (await windows('time')) === 1, { what: 'the window to be closed by time' })
  await world.stage([record(10)])
  await turned(world)
  world.monotonic.advance(3_500)
  await turned(world)
  expect(await windows()).toBe(2)
  await world.settled()
  expect(await windows()).toBe(3)
  await expectNoNegative()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.spans.length).toBe(7)
})

test('F28 · spans of clients whose clocks are wrong by months are in the windows in which they arrived', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  const month = 30 * 24 * 3_600_000_000
  const skewed = [-20, -1, 0, 0.5].map(
    (months, index): StagedRecord => ({
      projectId: 'project',
      traceId: hexOf(1, 32),
      spans: [{ spanId: hexOf(index + 1, 16), startUs: startUs + months * month, says: { 'user.id': `user ${index}` } }],
    }),
  )
  await world.stage(skewed)
  await world.settled()
  expect(await world.running.metric('svc_propagator_windows_total')).toBe(1)
  expect((await world.published()).spans.map(({ fill }) => fill)).toEqual(skewed.map(() => ({ userId: 'user 0' })))
})

const propagationOf = (world: World, health: Health, registry: MetricRegistry) =>
  createPropagationHealth({
    log: world.log,
    health,
    windowMs: testConfig.windowMs,
    stuckThresholdMs,
    storeSilenceMs: 15_000,
    lagSeconds: createMetrics(propagatorMetrics, registry).lagSeconds,
    logger: createLogger({ service: 'test', level: 'silent' }),
    clock: world.clock.now,
    monotonicNow: world.monotonic.now,
  })

const at = (partition: number) => ({ topic: topicNames.staging, partition, lowWatermark: 0, highWatermark: 10 })

test('records that retention deleted unread turn progress red, but are not reported as stuck', async () => {
  await using world = await createWorld()
  const health = createHealth()
  const propagation = propagationOf(world, health, createMetricRegistry({ runtime: false }))
  propagation.assigned([at(0), { ...at(1), lowWatermark: 7 }])
  expect(JSON.stringify(await health.evaluate('progress'))).toContain(
    'spans.staging/1: retention deleted 7 records before svc.propagator had read them',
  )
  expect((await propagation.report()).stuck).toBe(false)
  propagation.assigned([at(0), { ...at(1), lowWatermark: 7, committed: { offset: 8, metadata: '' } }])
  expect((await health.evaluate('progress')).status).toBe(200)
})

test('svc_propagator_halted counts halted partitions, and an owner whose unread records retention has deleted', async () => {
  await using world = await createWorld()
  const propagation = propagationOf(world, createHealth(), createMetricRegistry({ runtime: false }))
  propagation.assigned([at(0), at(1)])
  expect(propagation.halted).toBe(0)
  propagation.halt(1, 'no grant')
  expect(propagation.halted).toBe(1)
  propagation.progress(1, null)
  propagation.end('Retention passed a reader')
  expect(propagation.halted).toBe(1)
  expect((await propagation.report()).stuck).toBe(true)
})

test('a process stops reporting a partition that another process has taken over', async () => {
  await using world = await createWorld()
  await world.stage(Array.from({ length: 10 }, (_, number) => record(number + 1)))
  world.advance(5_000)
  const registry = createMetricRegistry({ runtime: false })
  const propagation = propagationOf(world, createHealth(), registry)
  const reported = async () => {
    await propagation.report()
    return (await registry.render()).match(/svc_propagator_lag_seconds\{partition="\d"\} 5$/gm) ?? []
  }
  propagation.assigned([at(0), at(1)])
  expect(await reported()).toHaveLength(2)
  world.monotonic.advance(stuckThresholdMs + 1)
  expect((await propagation.report()).stuck).toBe(true)
  propagation.assigned([at(1)])
  expect(await reported()).toHaveLength(1)
  expect((await propagation.report()).stuck).toBe(false)
})
