import type { GroupLag } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompletenessPath, createCompleteness, pathOf } from '../src/completeness.ts'

interface Item {
  readonly atMs: number
  readonly acknowledgedMs: number
}

function createModel() {
  const partitions = new Map<string, { records: { appendedMs: number; items: Item[] }[]; committed: Map<string, number> }>()
  const at = (topic: string, partition: number) => {
    const key = `${topic}/${partition}`
    const found = partitions.get(key) ?? { records: [], committed: new Map<string, number>() }
    partitions.set(key, found)
    return found
  }
  return {
    append: (topic: string, partition: number, appendedMs: number, items: Item[]) =>
      at(topic, partition).records.push({ appendedMs, items }),
    commit(group: string, topic: string, partition: number, count: number): Item[] {
      const { records, committed } = at(topic, partition)
      const from = committed.get(group) ?? 0
      const to = Math.min(records.length, from + count)
      committed.set(group, to)
      return records.slice(from, to).flatMap(({ items }) => items)
    },
    highs: (topic: string) => [0, 1].map(partition => at(topic, partition).records.length),
    /** Reads the high watermarks before the committed offsets, as the log does. */
    lag(group: string, topic: string, highs: readonly number[], nowMs: number): GroupLag[] {
      return highs.map((high, partition) => {
        const { records, committed } = at(topic, partition)
        const done = committed.get(group) ?? 0
        const lagRecords = Math.max(0, high - done)
        const lagMs = lagRecords > 0 ? Math.max(0, nowMs - records[done]!.appendedMs) : 0
        return { group, topic, partition, committed: done, lagRecords, lagMs }
      })
    },
    stored: (topic: string) =>
      [0, 1].flatMap(p =>
        at(topic, p)
          .records.slice(0, at(topic, p).committed.get(groupNames.writer) ?? 0)
          .flatMap(({ items }) => items),
      ),
  }
}

const { writer, propagator } = groupNames
const readers = [
  [writer, topicNames.direct],
  [writer, topicNames.staging],
  [propagator, topicNames.staging],
  [writer, topicNames.filled],
] as const
const sources: Readonly<Partial<Record<CompletenessPath, { readonly topic: string; readonly end: string }>>> = {
  direct: { topic: topicNames.direct, end: topicNames.direct },
  staged: { topic: topicNames.staging, end: topicNames.filled },
}

const partition = fc.constantFrom(0, 1)
const few = fc.integer({ min: 1, max: 4 })
const step = fc.oneof(
  fc.record({
    kind: fc.constant('send' as const),
    topic: fc.constantFrom(topicNames.direct, topicNames.staging),
    partition,
    ackMs: fc.integer({ min: 0, max: 300 }),
  }),
  fc.record({ kind: fc.constant('commit' as const), reader: fc.constantFrom(...readers), partition, count: few, to: partition }),
  fc.record({ kind: fc.constant('ask' as const), between: fc.integer({ min: 0, max: 900 }) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
)

describe('everything acknowledged before the reported time is stored', () => {
  test('in any order of sends, publications, commits and lag reports', () => {
    let said = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 150 }), steps => {
        const model = createModel()
        const completeness = createCompleteness()
        const sent: Record<string, Item[]> = { [topicNames.direct]: [], [topicNames.staging]: [] }
        let nowMs = 1_000_000
        for (const one of steps) {
          if (one.kind === 'wait') nowMs += one.ms
          else if (one.kind === 'send') {
            const item = { atMs: nowMs, acknowledgedMs: nowMs + one.ackMs }
            model.append(one.topic, one.partition, nowMs, [item])
            sent[one.topic]!.push(item)
            nowMs += 1
          } else if (one.kind === 'commit') {
            const [group, topic] = one.reader
            const items = model.commit(group, topic, one.partition, one.count)
            if (group === propagator && items.length > 0) model.append(topicNames.filled, one.to, nowMs, items)
            nowMs += 1
          } else {
            const askedAtMs = nowMs
            const highs = readers.map(([, topic]) => model.highs(topic))
            nowMs += one.between
            const lags = readers.flatMap(([group, topic], index) => model.lag(group, topic, highs[index]!, nowMs))
            completeness.observe(lags, askedAtMs, nowMs)
            nowMs += 1
          }
          for (const [path, { topic, end }] of Object.entries(sources)) {
            const untilMs = completeness.until(path as CompletenessPath)
            if (untilMs === undefined) continue
            expect(untilMs).toBeLessThanOrEqual(nowMs)
            const stored = new Set(model.stored(end))
            const due = sent[topic]!.filter(({ acknowledgedMs }) => acknowledgedMs < untilMs)
            said += due.length
            expect(due.filter(item => !stored.has(item))).toEqual([])
          }
        }
      }),
      { numRuns: 300 },
    )
    expect(said).toBeGreaterThan(1_000)
  })
})

const all = (lagMs: number, waiting: readonly string[] = []): GroupLag[] =>
  [
    ...[topicNames.direct, topicNames.overflow, topicNames.staging, topicNames.filled, topicNames.entities, topicNames.scores].map(
      topic => [writer, topic] as const,
    ),
    ...[topicNames.ingestion, topicNames.traceParts].map(topic => [groupNames.merger, topic] as const),
    [propagator, topicNames.staging] as const,
  ].map(([group, topic]) => {
    const waits = waiting.includes(`${group} ${topic}`)
    return { group, topic, partition: 0, committed: 0, lagRecords: waits ? 1 : 0, lagMs: waits ? lagMs : 0 }
  })

test('without lag a path of one step is complete until the last report, and a path of several steps needs a second report', () => {
  const completeness = createCompleteness()
  completeness.observe(all(0), 10_000, 10_100)
  expect([completeness.until('direct'), completeness.until('staged')]).toEqual([10_000, undefined])
  completeness.observe(all(0), 15_000, 15_100)
  expect([completeness.until('direct'), completeness.until('staged')]).toEqual([15_000, 10_000])
  completeness.observe(all(0), 20_000, 20_100)
  expect([completeness.until('ingestion'), completeness.until('scores')]).toEqual([undefined, 20_000])
  completeness.observe(all(0), 25_000, 25_100)
  expect(completeness.until('ingestion')).toBe(10_000)
  completeness.observe(all(0), 30_000, 30_100)
  expect(completeness.until('ingestion')).toBe(15_000)
})

test('a waiting record delays only its own path, and a record of unknown age leaves the reported time unchanged', () => {
  const completeness = createCompleteness()
  completeness.observe(all(0), 100_000, 100_100)
  completeness.observe(all(0), 105_000, 105_100)
  completeness.observe(all(30_000, [`${writer} ${topicNames.scores}`]), 200_000, 200_100)
  expect([completeness.until('scores'), completeness.until('direct')]).toEqual([169_000, 200_000])
  completeness.observe(all(0, [`${writer} ${topicNames.direct}`]), 205_000, 205_100)
  expect(completeness.until('direct')).toBe(200_000)
  // The writer has not read the oldest record of `filled`. The propagator appended this record at about 203,000 ms (215,000 minus the lag
  // of 12,000). At that time, the propagator had read the data up to 200,000. The staged data is therefore complete only up to 200,000.
  completeness.observe(all(12_000, [`${writer} ${topicNames.filled}`]), 215_000, 215_100)
  expect(completeness.until('staged')).toBe(200_000)
})

test('with hours of lag, memory is bounded and the reported time is never too late', () => {
  const completeness = createCompleteness()
  for (let at = 0; at < 3_000; at++)
    completeness.observe(all(at * 5_000 + 1, [`${writer} ${topicNames.filled}`]), at * 5_000 + 10_000, at * 5_000 + 10_000)
  completeness.observe(all(0), 20_000_000, 20_000_000)
  expect(completeness.until('staged')).toBeLessThan(20_000_000)
})

test('a topic that writers read belongs to the path of its rows', () => {
  const { direct, overflow, staging, filled, entities, scores, sdkUsage } = topicNames
  expect([direct, overflow, staging, filled, entities, scores, sdkUsage].map(pathOf)).toEqual([
    ...['direct', 'overflow', 'staged', 'staged', 'ingestion', 'scores', 'other'],
  ])
})
