// Tests owners of a partition. Each test controls what the log returns to an owner: the records, and the committed offset of the group.
import { nothingDenied } from '@svc-server/deletions/denials'
import type { CommittedOffset, LogRecord, NewRecord, OwnedPartition } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { deadLetterForm } from '@svc-server/schema/dead-letter'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { createMetricRegistry, createMetrics } from '@svc-server/service/metrics'
import { createDeadLetters } from '@svc-server/stream/dead-letter'
import { metricSum } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createMergerDenials } from '../src/denied.ts'
import { createEntityPartition } from '../src/entity-partition.ts'
import { mergerMetrics } from '../src/metrics.ts'
import { noOlderRows } from '../src/older-rows.ts'
import type { ServedSpans } from '../src/reading/pool.ts'
import { createSpanPartition } from '../src/span-partition.ts'
import { ingestionRecord } from './events.ts'
import { hexOf, newRecord, startMs, startUs } from './spans.ts'
import { testConfig } from './world.ts'

interface Commit {
  readonly offset: number
  readonly topics: readonly string[]
}

/** The first queries for the group's offset return the entries of `answers`. All later queries return the newest commit. */
function partitionOf(topic: string, values: readonly (Uint8Array | null)[], answers: (CommittedOffset | undefined)[] = []) {
  const registry = createMetricRegistry({ runtime: false })
  const records = values.map((value, offset): LogRecord => ({ topic, partition: 0, offset, timestampMs: startMs, key: null, value }))
  const commits: Commit[] = []
  const modes: WriteMode[] = []
  let truth: CommittedOffset | undefined
  const commitWith = async (offset: number, metadata: string, appends: ReadonlyMap<string, readonly NewRecord[]>) => {
    commits.push({ offset, topics: [...appends.keys()] })
    truth = { offset, metadata }
  }
  const owned: OwnedPartition = {
    topic,
    partition: 0,
    signal: new AbortController().signal,
    get committed() {
      return answers.length > 0 ? answers.shift() : truth
    },
    commit: (offset, metadata) => commitWith(offset, metadata, new Map()),
    commitWith,
  }
  const end = records.length
  const log = {
    read: async (_: string, partition: number, from: number) => ({
      ...{ topic, partition, records: records.slice(from, from + 2) },
      ...{ nextOffset: Math.min(end, from + 2), highWatermark: end },
    }),
    committed: async () => new Map(),
  }
  return {
    ...{ owned, log, commits, modes, registry },
    metrics: createMetrics(mergerMetrics, registry),
    assigned: { topic, partition: 0, lowWatermark: 0, highWatermark: end },
    onMode: (mode: WriteMode) => void modes.push(mode),
    onProgress: () => {},
  }
}

const spans = (number: number, writeMode: WriteMode | null) => {
  const { value } = newRecord({ projectId: 'p', traceId: hexOf(1, 32), spans: [{ spanId: hexOf(number, 16), startUs }] })
  return encodeSpanBatch({ ...decodeSpanBatch(value!), writeMode })
}

function spanPartition(world: ReturnType<typeof partitionOf>, writeMode: WriteMode) {
  const read: (readonly [offset: number, mode: WriteMode])[] = []
  const readers = {
    async read(served: readonly ServedSpans[]) {
      read.push(...served.map(({ record, writeMode: mode }) => [record.offset, mode] as const))
      return { parts: [{ key: Buffer.from('k'), value: Buffer.from('v') }], spans: served.length, unreadable: 0, cut: 0 }
    },
  }
  const partition = createSpanPartition({ ...world, readers, config: { ...testConfig, writeMode } }, world.assigned)
  return { partition, read }
}

test('a record for the events tables alone is skipped by its envelope, and no thread reads it', async () => {
  const values = [spans(1, 'events_only'), spans(2, null), spans(3, 'events_only')]
  const world = partitionOf(topicNames.direct, values)
  const { partition, read } = spanPartition(world, 'events_only')
  // The partition must read only the envelope, so the test overwrites the bytes after the envelope.
  values[0]!.fill(0xff, 150)
  expect(await partition.work(world.owned)).toEqual({ kind: 'pause', afterMs: testConfig.passedRestMs })
  expect(read).toEqual([])
  expect(world.commits).toEqual([
    { offset: 2, topics: [] },
    { offset: 3, topics: [] },
  ])
  expect(world.modes).toEqual([])
})

test('each record is read in its own mode, and a record that does not belong on the topic is not read', async () => {
  const entity = ingestionRecord({
    projectId: 'p',
    entityType: 'trace',
    entityId: 't',
    eventType: 'trace-create',
    eventId: 'e',
    atMs: startMs,
    body: {},
  })
  const values = [spans(1, 'dual'), spans(2, null), entity.record.value, spans(3, 'events_only'), null, spans(4, 'legacy')]
  const world = partitionOf(topicNames.direct, values)
  const { partition, read } = spanPartition(world, 'legacy')
  expect(await partition.work(world.owned)).toEqual({ kind: 'done' })
  expect(read).toEqual([
    [0, 'dual'],
    [1, 'legacy'],
    [5, 'legacy'],
  ])
  expect(world.commits.map(({ topics }) => topics.join())).toEqual(['trace.parts', '', 'trace.parts'])
  expect(world.modes.join()).toBe('dual,legacy,legacy')
  // The legacy event counts as unreadable, because spans.direct must not contain legacy events.
  expect(metricSum(await world.registry.render(), 'svc_merger_unreadable_records_total')).toBe(1)
})

const event = (eventId: string, body: object = {}) =>
  ingestionRecord({
    ...{ projectId: 'p', entityType: 'trace', entityId: 't', eventType: 'trace-create', eventId, atMs: startMs },
    body: { name: eventId, ...body },
  }).record.value

const older: readonly (readonly [what: string, answer: CommittedOffset | undefined])[] = [
  ['nothing', undefined],
  ['an older offset', { offset: 1, metadata: '' }],
]

function entityPartition(world: ReturnType<typeof partitionOf>, environments = createEnvironmentNames({ prefixes: ['svc'] })) {
  const deps = {
    ...world,
    log: world.log as never,
    partition: 0,
    state: { catchUp: async () => {}, get: () => null, idsAfter: () => [], byId: () => null, close: async () => {} },
    denials: createMergerDenials(nothingDenied),
    turns: { isTaken: false },
    older: noOlderRows,
    deadLetters: createDeadLetters({ ...deadLetterForm, clock: () => 0, limit: { windowItems: 100, minRejected: 100, maxShare: 1 } }),
    environments,
    config: testConfig,
    changelogEnd: 0,
  }
  return createEntityPartition(deps, [world.assigned])
}

test('an event on which the merger’s code throws becomes a dead letter', async () => {
  const world = partitionOf(topicNames.ingestion, [event('a', { environment: 'bad' }), event('b')])
  const normalized = () => {
    throw new TypeError('a defect')
  }
  await entityPartition(world, { normalized }).work(world.owned)
  expect(world.commits).toEqual([{ offset: 2, topics: ['entities', 'spans.staging', 'dead-letter'] }])
})

test.for(older)('F47 · events: a response that reports %s as committed is not used after a later commit', async ([, answer]) => {
  const world = partitionOf(topicNames.ingestion, [event('a'), event('b'), event('c')])
  const partition = entityPartition(world)
  await partition.work(world.owned)
  expect(world.commits.map(({ offset }) => offset)).toEqual([2, 3])
  Object.defineProperty(world.owned, 'committed', { get: () => answer })
  await expect(partition.work(world.owned)).rejects.toMatchObject({ code: 'log_unavailable' })
  expect(world.commits.length).toBe(2)
})

test.for(older)('F47 · spans: a response that reports %s as committed is not used after a later commit', async ([, answer]) => {
  const world = partitionOf(topicNames.direct, [spans(1, 'dual'), spans(2, 'dual'), spans(3, 'dual')])
  const { partition } = spanPartition(world, 'dual')
  await partition.work(world.owned)
  expect(world.commits.map(({ offset }) => offset)).toEqual([2, 3])
  Object.defineProperty(world.owned, 'committed', { get: () => answer })
  await expect(partition.work(world.owned)).rejects.toMatchObject({ code: 'log_unavailable' })
  expect(world.commits.length).toBe(2)
})
