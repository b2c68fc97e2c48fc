// Stores several versions of the same few keys within a few milliseconds, on two partitions, with faults. At the end, readers see the
// version with the newest append time. If several versions on one partition have this time, readers see the last of these versions. If
// several partitions have versions with this time, readers can see any of the versions. Versions on different partitions have no order.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import type { RecordPosition } from '@svc-server/log'
import { groupNames, type TopicName, topicNames } from '@svc-server/modes/names'
import { encodeRunItem } from '@svc-server/schema/run-item'
import { encodeScoreEvent } from '@svc-server/schema/score-event'
import { attributes, waitFor } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commitAt } from './commit-at.ts'
import { killAt, type Point } from './kill.ts'
import { runItemOf } from './run-items.ts'
import { scoreEvent } from './scores.ts'
import { createWorld, now, spanBatch, startTestEngine, type World } from './world.ts'

let it: Awaited<ReturnType<typeof startTestEngine>>
beforeAll(async () => {
  it = await startTestEngine()
})
afterAll(() => it.stop())

/** A span's key contains its start day. The days are in two different months, so the spans are in two partitions of the events tables. */
const keys = ['2026-11-21', '2026-11-20', '2026-10-22']

const kinds: readonly { readonly topic: TopicName; value(key: string, version: string): Buffer; readonly shown: readonly string[] }[] = [
  {
    topic: topicNames.direct,
    value: (key, version) =>
      spanBatch({ count: 1, seed: 'span', startMs: Date.parse(key), writeMode: 'dual', more: attributes({ 'user.id': version, version }) }),
    shown: [
      'SELECT toDate(start_time) AS key, user_id AS version FROM events_full FINAL',
      'SELECT toDate(start_time) AS key, user_id AS version FROM events_core FINAL',
      "SELECT toDate(start_time) AS key, JSONExtractString(metadata['attributes'], 'version') AS version FROM observations FINAL",
    ],
  },
  {
    topic: topicNames.scores,
    value: (id, comment) => encodeScoreEvent(scoreEvent({ id, comment })),
    shown: ['SELECT id AS key, comment AS version FROM scores FINAL'],
  },
  {
    topic: topicNames.runItems,
    value: (id, error) => encodeRunItem(runItemOf({ id, error })),
    shown: ['SELECT id AS key, error AS version FROM dataset_run_items_rmt FINAL'],
  },
]
const tables = ['events_full', 'events_core', 'observations', 'scores', 'dataset_run_items_rmt']

const partition = fc.nat({ max: 1 })
const said = fc.record({
  key: fc.nat({ max: keys.length - 1 }),
  partition: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, partition),
  laterMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constant(1)),
})
const life = fc.record({
  said: fc.array(said, { maxLength: 6 }),
  chunkMaxRows: fc.constantFrom(1, 2, 1_000),
  fault: fc.option(fc.record({ isStored: fc.boolean(), every: fc.integer({ min: 1, max: 3 }) })),
  dies: fc.option(fc.constantFrom<Point>('after intent', 'before insert', 'after insert', 'before acknowledgement')),
  /**
   * Multiplies the committed offsets by a number between 0 and 1. The writer then reads the records after the new offsets a second time,
   * all in one chunk.
   */
  movedBackTo: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 4 }),
  merges: fc.boolean(),
})
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never

/** The position, key and version of a sent record. */
type Sent = RecordPosition & { readonly key: string; readonly version: string }

const timeout = () => new AppError('column_store_unavailable', 'Timeout error.')

function withFault(columnStore: ColumnStore, { fault }: Life): ColumnStore {
  if (fault === null) return columnStore
  let inserts = 0
  return {
    ...columnStore,
    async insert(request) {
      // At most every second insert fails. A writer whose inserts all fail would never finish.
      if (inserts++ % (fault.every + 1) !== 0) return columnStore.insert(request)
      if (fault.isStored) await columnStore.insert(request)
      throw timeout()
    },
  }
}

async function merge({ columnStore: { command, database } }: World): Promise<void> {
  for (const table of tables) {
    await command(`SYSTEM START MERGES ${database}.${table}`)
    await command(`OPTIMIZE TABLE ${table} FINAL`)
    await command(`SYSTEM STOP MERGES ${database}.${table}`)
  }
}

async function moveBack({ log }: World, share: number): Promise<void> {
  for (const { topic } of kinds) {
    for (const [at, { offset }] of await log.committed(groupNames.writer, topic)) {
      const { partitions } = (await log.describe()).find(({ spec }) => spec.name === topic)!
      // An offset at the end of a partition is not moved, because `commitAt` needs records after the offset.
      if (offset > 0 && offset < partitions[at]!.highWatermark) await commitAt(log, Math.floor(offset * share), '', at, topic)
    }
  }
}

async function run(world: World, lives: readonly Life[], tick: () => void): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  for (const one of lives) {
    for (const { key, partition, laterMs } of one.said) {
      if (laterMs > 0) tick()
      const version = `v${sent.length}`
      for (const { topic, value } of kinds) {
        const [position] = await world.log.append(topic, [{ key: null, value: value(keys[key]!, version), partition }])
        sent.push({ ...position!, key: keys[key]!, version })
      }
    }
    if (one.movedBackTo !== null) await moveBack(world, one.movedBackTo)
    const config = {
      chunkMaxRows: one.movedBackTo === null ? one.chunkMaxRows : 1_000,
      fetchMinBytes: 1e6,
      fetchMaxWaitMs: 10,
      ledgerAuditMs: 3_600_000,
    }
    const faulty = withFault(world.columnStore, one)
    const killed = one.dies === null ? null : killAt(one.dies, world.log, faulty)
    const writer = world.writer({ log: killed?.log ?? world.log, columnStore: killed?.columnStore ?? faulty, config })
    await writer.service.start()
    const atRest = waitFor(async () => (await world.backlog()) === 0, { what: 'the end of a life' })
    await Promise.race([atRest, ...(killed === null ? [] : [killed.reached])])
    if (killed === null) await writer.service.drain()
    if (one.merges) await merge(world)
  }
  await world.writer().service.start()
  await world.settled()
  return sent
}

function newest(sent: readonly Sent[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    [...Map.groupBy(sent, ({ key }) => key)].map(([key, versions]) => {
      const latestMs = Math.max(...versions.map(({ timestampMs }) => timestampMs))
      const tied = versions.filter(({ timestampMs }) => timestampMs === latestMs)
      const isAlone = new Set(tied.map(({ partition }) => partition)).size === 1
      return [key, (isAlone ? [tied.at(-1)!] : tied).map(({ version }) => version)]
    }),
  )
}

test('every table shows the newest version by time, then by position on the partition, whatever happened', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 3 }), async lives => {
      let nowMs = now
      const world = await createWorld(it.engine, { writeMode: 'dual' }, () => nowMs)
      try {
        const sent = await run(world, lives, () => (nowMs += 1))
        for (const { topic, shown } of kinds) {
          const expected = newest(sent.filter(one => one.topic === topic))
          for (const statement of shown) {
            const found = await world.columnStore.query<{ key: string; version: string }>(statement)
            expect(new Set(found.map(({ key }) => key))).toEqual(new Set(Object.keys(expected)))
            for (const { key, version } of found)
              expect({ statement, key, version }).toEqual({ statement, key, version: expect.toBeOneOf([...expected[key]!]) })
          }
        }
      } finally {
        await world.close()
      }
    }),
    // A failing run is not shrunk, because each run takes seconds.
    { numRuns: 150, endOnFailure: true },
  )
}, 3_600_000)
