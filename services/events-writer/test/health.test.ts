import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { manualClock, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createWriterHealth } from '../src/health.ts'
import { createWorld, startTestEngine } from './world.ts'

const logger = createLogger({ service: 'test', level: 'silent' })
const thresholdMs = 120_000
const group = groupNames.writer
const topic = topicNames.direct
const owned = (...partitions: number[]) => partitions.map(partition => ({ topic, partition, lowWatermark: 0, highWatermark: 0 }))

async function openLog(): Promise<EmbeddedLog> {
  const directory = await temporaryDirectory()
  const topics = topicSpecs({ embedded: true, enabledReaders: [group] })
  const log = await openEmbeddedLog({ directory: directory.path, topics })
  onTestFinished(async () => {
    await log.close()
    await directory.remove()
  })
  return log
}

function memberOn(log: EmbeddedLog, monotonicNow: () => number) {
  const health = createHealth()
  const made = createWriterHealth({ log, health, logger, stores: [], detail: () => null, thresholdMs, monotonicNow })
  const status = async () => (await health.evaluate('progress')).status
  return { ...made, reader: made.reader(group), status, halted: () => made.halted }
}

test('an idle and a busy writer are both green, because each judges its own partitions from their assignment on', async () => {
  const log = await openLog()
  const clock = manualClock(0)
  const busy = memberOn(log, clock.now)
  const idle = memberOn(log, clock.now)
  busy.reader.assigned(owned(0))
  idle.reader.assigned(owned(1))
  await log.append(topic, [{ key: null, value: Buffer.from('waits'), partition: 0 }])
  for (let minutes = 0; minutes < 10; minutes++) {
    expect([await busy.status(), await idle.status()]).toEqual([200, 200])
    clock.advance(60_000)
    // The busy writer makes progress each minute, and never runs out of work.
    busy.reader.progress({ topic, partition: 0 })
  }
  // The busy writer now makes no progress. Its health endpoint fails. The health endpoint of the idle writer does not fail, because the
  // idle writer does not own the partition.
  clock.advance(thresholdMs + 1)
  expect([await busy.status(), await idle.status()]).toEqual([503, 200])

  // The idle writer gets the partition. This writer counts as stuck only after `thresholdMs` without progress from this moment on.
  busy.reader.assigned([])
  idle.reader.assigned(owned(0, 1))
  expect([await busy.status(), await idle.status()]).toEqual([200, 200])
  clock.advance(thresholdMs + 1)
  expect([await busy.status(), await idle.status()]).toEqual([200, 503])
})

test('a stuck partition is reported although another partition makes progress', async () => {
  const log = await openLog()
  const clock = manualClock(0)
  const member = memberOn(log, clock.now)
  member.reader.assigned(owned(0, 1))
  for (const partition of [0, 1]) await log.append(topic, [{ key: null, value: Buffer.from('waits'), partition }])
  for (let minutes = 0; minutes < 2; minutes++) {
    expect(await member.status()).toBe(200)
    clock.advance(60_001)
    member.reader.progress({ topic, partition: 0 })
  }
  expect(await member.status()).toBe(503)
})

test('svc_writer_halted counts halted partitions, and a reader whose unread records retention has deleted', async () => {
  const member = memberOn(await openLog(), () => 0)
  member.reader.assigned(owned(0, 1))
  expect(member.halted()).toBe(0)
  member.reader.halt({ topic, partition: 1 }, 'no grant')
  expect(member.halted()).toBe(1)
  member.reader.progress({ topic, partition: 1 })
  member.end('Retention passed a reader')
  expect([member.halted(), await member.status()]).toEqual([1, 503])
})

test('the time without progress starts when work appears, even without probes', async () => {
  const log = await openLog()
  const clock = manualClock(0)
  const member = memberOn(log, clock.now)
  member.reader.assigned(owned(0))
  await log.append(topic, [{ key: null, value: Buffer.from('waits'), partition: 0 }])
  member.observe(await log.lag())
  clock.advance(thresholdMs + 1)
  expect(await member.status()).toBe(503)
})

test('F51 · a frozen engine turns readiness and progress red within their thresholds, and both recover without a restart', async () => {
  const { engine, stop } = await startTestEngine()
  const world = await createWorld(engine)
  const writer = world.writer({ config: { storeSilenceMs: 400, progressThresholdMs: 400, retryBudgetMs: 100 } })
  const probes = async () => [(await writer.health.evaluate('ready')).status, (await writer.health.evaluate('progress')).status]
  await writer.service.start()
  let sent = await world.send({ count: 10 })
  await world.settled()
  expect(await probes()).toEqual([200, 200])
  const { pid } = engine
  process.kill(pid!, 'SIGSTOP')
  sent += await world.send({ count: 10 })
  await waitFor(async () => (await probes()).every(status => status === 503), { what: 'both probes to be red', timeoutMs: 60_000 })
  expect(JSON.stringify((await writer.health.evaluate('ready')).body)).toContain('The column store has not responded')
  process.kill(pid!, 'SIGCONT')
  await world.settled()
  await waitFor(async () => (await probes()).every(status => status === 200), { what: 'both probes to be green', timeoutMs: 60_000 })
  expect(await world.counts()).toEqual({ full: sent, core: sent, distinct: sent } satisfies Awaited<ReturnType<typeof world.counts>>)
  await world.close()
  await stop()
})
