// Checks the staged items that the propagator has acknowledged. Each item must be dead-lettered, or published once. The item must be
// published to the partition of spans.filled that has the same number as the item's partition of spans.staging. The ledgers of propagator
// and writer must agree.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type DeadLetters, deadLetteredSpans, recordKey } from '@svc-server/dead-letters/by-record'
import type { CommittedOffset, EventLog, PartitionDescription, TopicDescription } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { envelopeOf } from '@svc-server/schema/envelope'
import { type ExpiredDeadLetters, expiredDeadLetters, tellBefore } from '../expired-dead-letters.ts'
import { noDestination } from '../ledger-destination.ts'
import { type OffsetRange, recordsOf } from '../spans-on-log.ts'
import type { Findings, StagedReport } from './report.ts'
import { judgeLedger } from './staged-ledger.ts'

export interface StagedDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly deadLetters: DeadLetters
  /** True if some dead letters have been deleted or are unreadable. */
  readonly incomplete: boolean
  readonly findings: Findings
  /**
   * The propagator's committed offsets. The check reads the dead letters after these offsets. The propagator has then already written the
   * dead letters of all records below these offsets.
   */
  readonly committed: ReadonlyMap<number, CommittedOffset>
  readonly newest: number
  readonly clock: () => number
  readonly onProgress?: ((line: string) => void) | undefined
}

const { staging, filled } = topicNames
const group = groupNames.propagator
const slicesPerPartition = 10_000
/** Compared offset by offset. */
const comparedSlices = 100

/** Rejects with column_store_*, log_* AppErrors. */
export async function checkStaged(deps: StagedDeps, described: readonly TopicDescription[]): Promise<readonly StagedReport[]> {
  const partitionsOf = (topic: string) => described.find(({ spec }) => spec.name === topic)?.partitions ?? []
  const retentionMs = described.find(({ spec }) => spec.name === filled)?.spec.retentionMs ?? 0
  const targets = partitionsOf(filled)
  const reports: StagedReport[] = []
  for (const source of partitionsOf(staging)) {
    deps.onProgress?.(`checking ${staging}/${source.partition}`)
    reports.push(await checkPartition(deps, source, targets[source.partition], retentionMs))
  }
  return reports
}

async function checkPartition(
  deps: StagedDeps,
  { partition, lowWatermark, highWatermark }: PartitionDescription,
  target: PartitionDescription | undefined,
  retentionMs: number,
): Promise<StagedReport> {
  const { newest, findings } = deps
  const committed = deps.committed.get(partition)?.offset
  const until = Math.max(lowWatermark, committed ?? 0)
  const from = Math.max(lowWatermark, until - newest)
  const waiting = Math.max(0, highWatermark - until)
  const report = { topic: staging, partition, from, until, waiting, ...nothing }
  // If the propagator has not committed an offset, all staged spans still wait for the propagator.
  if (committed === undefined) return report

  const { ranges, difference } = await judgeLedger(deps, { topic: staging, partition, from, until }, retentionMs)
  for (const { kind, first, last, spans } of ranges) findings.add({ kind: `ledger_${kind}`, topic: staging, partition, first, last, spans })
  const inRanges = ranges.reduce((sum, { spans }) => sum + spans, 0)
  // If the ledger lacks the publication of stored spans, these spans are in `difference` and in `ranges`, and count only once.
  if (difference > inRanges) {
    findings.add({ kind: 'ledger_handover', topic: staging, partition, first: from, last: until - 1, spans: difference - inRanges })
  }
  const comparable = { topic: staging, partition, from: Math.max(from, await firstComparable(deps, partition, target, until)), until }
  const published = await comparePublished(deps, comparable)
  return { ...report, ...published, from: comparable.from, unaccounted: Math.max(inRanges, difference) }
}

const nothing = {
  records: 0,
  spans: 0,
  entities: 0,
  published: 0,
  republished: 0,
  deadLettered: 0,
  deadLettersExpired: 0,
  missing: 0,
  unaccounted: 0,
}

/**
 * Returns the first offset of spans.staging that the check can compare. If the beginning of spans.filled was deleted, the check can compare
 * only ranges whose publications are all still on spans.filled.
 */
async function firstComparable(
  { log, columnStore }: StagedDeps,
  partition: number,
  target: PartitionDescription | undefined,
  until: number,
): Promise<number> {
  if (target === undefined) return until
  const { lowWatermark, highWatermark } = target
  if (lowWatermark === 0) return 0
  for await (const records of recordsOf(log, { topic: filled, partition, from: lowWatermark, until: highWatermark })) {
    for (const { value, timestampMs } of records) {
      const { staged } = envelopeOf(value, timestampMs)
      if (staged === null || staged.generation > 0) continue
      const [next] = await columnStore.query<{ first: string }>(
        `SELECT first_offset AS first FROM ingest_ledger
         WHERE log_id = {logId:String} AND consumer_group = {group:String} AND topic = {topic:String} AND partition = {partition:UInt32}
           AND first_offset > {offset:UInt64}
         ORDER BY first_offset LIMIT 1`,
        { logId: log.logId(staging), group, topic: staging, partition, offset: staged.offset },
      )
      return next === undefined ? until : Number(next.first)
    }
  }
  return until
}

async function comparePublished(deps: StagedDeps, range: OffsetRange) {
  const { log, findings } = deps
  const { partition, from, until } = range
  const size = Math.max(1, Math.ceil((until - from) / slicesPerPartition))
  const sliceOf = (offset: number) => Math.floor((offset - from) / size)
  const slices = new Map<number, number>()
  const total = { records: 0, spans: 0, entities: 0, deadLettered: 0, published: 0, republished: 0 }
  const gone = await expiredDeadLetters({ log, columnStore: deps.columnStore, group, destination: noDestination }, range, deps.incomplete)
  tellBefore(gone, deps.deadLetters, range)
  for await (const { spans, isEntity, deadLettered, offset } of stagedRecords(deps, range)) {
    gone.found(offset, deadLettered)
    total.records += 1
    total[isEntity ? 'entities' : 'spans'] += spans
    total.deadLettered += deadLettered
    add(slices, sliceOf(offset), spans - deadLettered)
  }
  for await (const { spans, offset, generation } of filledRecords(log, partition)) {
    if (generation > 0) total.republished += spans
    else if (offset >= from && offset < until) {
      total.published += spans
      add(slices, sliceOf(offset), -spans)
    }
  }

  const different = [...slices].filter(([, spans]) => spans !== 0).sort(([a], [b]) => a - b)
  const compared = new Set(different.slice(0, comparedSlices).map(([slice]) => slice))
  const { missing, deadLettersExpired } = await compareOffsets(
    deps,
    range,
    gone,
    offset => compared.has(sliceOf(offset)),
    compared.size > 0,
  )
  total.deadLettered += deadLettersExpired
  const rest = different.slice(comparedSlices)
  for (const [slice, spans] of rest) {
    const first = from + slice * size
    findings.add({ kind: kindOf(spans), topic: staging, partition, first, last: Math.min(until, first + size) - 1, spans: Math.abs(spans) })
  }
  return { ...total, deadLettersExpired, missing: missing + rest.reduce((sum, [, spans]) => sum + Math.max(0, spans), 0) }
}

/** Counts missing spans, and spans whose dead letters have expired. */
async function compareOffsets(
  deps: StagedDeps,
  range: OffsetRange,
  gone: ExpiredDeadLetters,
  isWanted: (offset: number) => boolean,
  any: boolean,
): Promise<{ readonly missing: number; readonly deadLettersExpired: number }> {
  if (!any) return { missing: 0, deadLettersExpired: 0 }
  const { log, findings } = deps
  const { partition, from, until } = range
  const open = new Map<number, number>()
  for await (const { spans, deadLettered, offset } of stagedRecords(deps, range))
    if (isWanted(offset)) add(open, offset, spans - deadLettered)
  for await (const { spans, offset, generation } of filledRecords(log, partition)) {
    if (generation === 0 && offset >= from && offset < until && isWanted(offset)) add(open, offset, -spans)
  }
  let missing = 0
  let deadLettersExpired = 0
  for (const [offset, different] of [...open].sort(([a], [b]) => a - b)) {
    const taken = different > 0 ? gone.take(offset, different) : 0
    deadLettersExpired += taken
    const spans = different - taken
    if (spans === 0) continue
    findings.add({ kind: kindOf(spans), topic: staging, partition, first: offset, last: offset, spans: Math.abs(spans) })
    missing += Math.max(0, spans)
  }
  return { missing, deadLettersExpired }
}

const add = (sums: Map<number, number>, key: number, spans: number) => sums.set(key, (sums.get(key) ?? 0) + spans)
const kindOf = (spans: number) => (spans > 0 ? 'unpublished' : 'overpublished')

async function* stagedRecords({ log, deadLetters }: StagedDeps, range: OffsetRange) {
  for await (const records of recordsOf(log, range)) {
    for (const { offset, value, timestampMs } of records) {
      const { spans, isEntity } = envelopeOf(value, timestampMs)
      yield {
        offset,
        spans,
        isEntity,
        deadLettered: deadLetteredSpans(deadLetters.get(recordKey(staging, range.partition, offset)), spans),
      }
    }
  }
}

/** Yields the filled records, each with the position of its staged record. */
async function* filledRecords(log: EventLog, partition: number) {
  const described = (await log.describe()).find(({ spec }) => spec.name === filled)?.partitions[partition]
  const { lowWatermark: from = 0, highWatermark: until = 0 } = described ?? {}
  for await (const records of recordsOf(log, { topic: filled, partition, from, until })) {
    for (const { value, timestampMs } of records) {
      const { spans, staged } = envelopeOf(value, timestampMs)
      if (staged !== null) yield { spans, offset: staged.offset, generation: staged.generation }
    }
  }
}
