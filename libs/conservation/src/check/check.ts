// Compares the log with the tables. Everything that the writer has acknowledged must be stored or dead-lettered. Staged spans must be
// published if the propagator has acknowledged them. Rows must be unique, the events tables must agree, and the ledger must have no gaps.
// The check compares log and tables slice by slice, and opens records only in slices that differ.
import type { ColumnStore } from '@svc-server/column-store/port'
import { deadLetteredSpans, readDeadLetters, recordKey } from '@svc-server/dead-letters/by-record'
import type { Denied } from '@svc-server/deletions/denials'
import { readDenials } from '@svc-server/deletions/read-denials'
import { keepsAll, type WhatIsKept, withRetentions } from '@svc-server/deletions/remembered'
import type { CommittedOffset, EventLog, PartitionDescription, TopicDescription } from '@svc-server/log'
import { tablesOf } from '@svc-server/modes/flows'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { type Envelope, envelopeOf } from '@svc-server/schema/envelope'
import { auditLedger } from '../audit.ts'
import { type ExpiredDeadLetters, expiredDeadLetters, tellBefore } from '../expired-dead-letters.ts'
import { mayHaveEntities } from '../row-audit/item-kind.ts'
import { recordsOf } from '../spans-on-log.ts'
import { checkByKey, type KeyedRange } from './by-key.ts'
import { type ComparisonDeps, compareSpans } from './compare-spans.ts'
import { compareTables } from './core.ts'
import { checkOtherTables } from './other-tables.ts'
import { type ConservationReport, createFindings, type Findings, type PartitionReport } from './report.ts'
import { type RowsRange, rowsBySlice } from './rows.ts'
import { checkStaged } from './staged.ts'

export interface CheckOptions {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  /** Consumer group of the writer. */
  readonly group: string
  /** Topics whose spans become rows of the events tables. Topics that the log does not have are skipped. */
  readonly topics: readonly string[]
  /** Reads the deletions that a store keeps, because the topic `commands` possibly no longer has the commands of old deletions. */
  readonly remembered?: (() => Promise<readonly Denied[]>) | undefined
  /** Current and former retention periods of projects. */
  readonly kept?: WhatIsKept
  /** The write mode of records without a mode; by default, events_only. */
  readonly writeMode?: WriteMode
  /** If set, the check covers only the newest offsets of each partition. The value is the number of these offsets. */
  readonly newest?: number
  readonly onProgress?: (line: string) => void
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

interface Slice {
  spans: number
  deadLettered: number
}

/** The rows of these topics have no provenance. */
const keyedTopics: readonly string[] = [topicNames.scores, topicNames.runItems, topicNames.entities]
const slicesPerPartition = 10_000
/** Compared with the log. */
const destination = 'events_full'
/**
 * Slices are combined into a run of at most this many spans. A slice with more spans is a run of its own. The check compares each span
 * of a run with the rows of the table.
 */
const comparedSpans = 50_000
const maxRecordBytes = 1 << 30

/** Rejects with column_store_*, log_* AppErrors. */
export async function checkConservation(options: CheckOptions): Promise<ConservationReport> {
  const {
    log,
    columnStore,
    topics,
    group,
    writeMode = 'events_only',
    newest = Number.POSITIVE_INFINITY,
    onProgress,
    clock = Date.now,
  } = options
  // Committed offsets are read first. Dead letters and spans.filled are read later, and thus contain the results of all committed records.
  const acknowledged = new Map<string, ReadonlyMap<number, CommittedOffset>>()
  const topicsOnLog = await log.describe()
  for (const { spec } of topicsOnLog) {
    if (topics.includes(spec.name)) acknowledged.set(spec.name, await log.committed(group, spec.name))
  }
  const committed = await log.committed(groupNames.propagator, topicNames.staging)
  const { deadLetters, unreadable, incomplete } = await readDeadLetters(log)
  const denials = withRetentions(await readDenials(log, options.remembered), () => options.kept ?? keepsAll, clock)
  const findings = createFindings()
  const storedSpans = (topic: string, { spans, isEntity, writeMode: mode }: Envelope) =>
    (isEntity && mayHaveEntities(topic)) || !tablesOf(topic, mode ?? writeMode).includes(destination) ? 0 : spans
  const deps = { log, columnStore, deadLetters, incomplete, findings, denials, maxRecordBytes, storedSpans }
  const staged = await checkStaged(
    { log, columnStore, deadLetters, incomplete, findings, committed, newest, clock, onProgress },
    topicsOnLog,
  )
  const partitions: PartitionReport[] = []
  for (const { spec, partitions: described } of topicsOnLog) {
    if ([...topics, topicNames.staging, ...keyedTopics].includes(spec.name)) addLost(findings, spec.name, described)
    const committed = acknowledged.get(spec.name)
    if (committed === undefined) continue
    for (const description of described) {
      onProgress?.(`checking ${spec.name}/${description.partition}`)
      const until = Math.max(description.lowWatermark, committed.get(description.partition)?.offset ?? 0)
      partitions.push(await checkPartition(options, deps, spec.name, description, until))
    }
  }
  // The old tables get staged spans directly from spans.staging, and merged entities from the topic `entities`.
  const ownStaged = await log.committed(group, topicNames.staging)
  const stagedRanges = staged.map(({ topic, partition, from, until }) => {
    return { topic, partition, from, until: Math.min(until, ownStaged.get(partition)?.offset ?? from) }
  })
  onProgress?.('checking the old tables, and merged entities')
  const keyedRanges = (await Promise.all(keyedTopics.map(topic => acknowledgedOf(options, topicsOnLog, topic)))).flat()
  const keyed = await checkByKey({ log, columnStore, findings, denials, maxRecordBytes, writeMode }, [
    ...[...partitions, ...stagedRanges].map(({ topic, partition, from, until }) => ({ topic, partition, from, until, waiting: 0 })),
    ...keyedRanges,
  ])
  await checkOtherTables({ log, columnStore, group, findings, newest }, topicsOnLog)
  return {
    conserved: findings.list().length === 0,
    atRest: [...staged, ...partitions, ...keyedRanges].every(({ waiting }) => waiting === 0),
    partitions,
    staged,
    keyed,
    findings: findings.list(),
    unreadableDeadLetters: unreadable,
  }
}

/** Returns the offsets that the writer has acknowledged, as one range per partition. */
async function acknowledgedOf(
  { log, group, newest = Number.POSITIVE_INFINITY }: CheckOptions,
  topicsOnLog: readonly TopicDescription[],
  topic: string,
): Promise<readonly KeyedRange[]> {
  const committed = await log.committed(group, topic)
  const described = topicsOnLog.find(({ spec }) => spec.name === topic)?.partitions ?? []
  return described.map(({ partition, lowWatermark, highWatermark }) => {
    const until = Math.max(lowWatermark, committed.get(partition)?.offset ?? 0)
    return { topic, partition, from: Math.max(lowWatermark, until - newest), until, waiting: Math.max(0, highWatermark - until) }
  })
}

/** Reports the damaged ranges that an operator skipped. */
function addLost(findings: Findings, topic: string, partitions: readonly PartitionDescription[]): void {
  for (const { partition, lowWatermark, lost = [] } of partitions) {
    for (const { from, to } of lost)
      if (to > lowWatermark) findings.add({ kind: 'lost', topic, partition, first: from, last: to - 1, spans: to - from })
  }
}

async function checkPartition(
  { group, newest = Number.POSITIVE_INFINITY }: CheckOptions,
  deps: ComparisonDeps & { readonly incomplete: boolean },
  topic: string,
  { partition, lowWatermark, highWatermark }: PartitionDescription,
  until: number,
): Promise<PartitionReport> {
  const { log, columnStore, findings } = deps
  const from = Math.max(lowWatermark, until - newest)
  const size = Math.max(1, Math.ceil((until - from) / slicesPerPartition))
  const gone = await expiredDeadLetters({ log, columnStore, group, destination }, { topic, partition, from, until }, deps.incomplete)
  tellBefore(gone, deps.deadLetters, { topic, partition, from, until })
  const onLog = await readSlices(deps, gone, { topic, partition, from, until }, size)
  const range: RowsRange = { topic, partition, from, until, notBeforeUs: onLog.oldestUs ?? 0 }

  const rows = onLog.records > 0 ? await rowsBySlice(columnStore, range, size) : new Map()
  let rawRows = 0
  let stored = 0
  let superseded = 0
  let missing = 0
  let deadLettersExpired = 0
  let denied = 0
  for (const slice of rows.values()) {
    rawRows += slice.raw
    stored += slice.stored
  }
  const differs = (slice: number) => {
    const expected = onLog.slices.get(slice)
    const found = rows.get(slice)
    const wanted = (expected?.spans ?? 0) - (expected?.deadLettered ?? 0)
    return (found?.stored ?? 0) !== wanted || (found?.raw ?? 0) !== wanted
  }
  const different = [...new Set([...onLog.slices.keys(), ...rows.keys()])].filter(differs).sort((a, b) => a - b)
  for (const { first, last } of runs(different, slice => onLog.slices.get(slice)?.spans ?? 0)) {
    const part = { ...range, from: from + first * size, until: Math.min(until, from + (last + 1) * size) }
    const compared = await compareSpans({ ...deps, gone }, part)
    superseded += compared.superseded
    missing += compared.missing
    denied += compared.denied
    deadLettersExpired += compared.gone
  }

  const final = onLog.records > 0 ? await compareTables(columnStore, deps.denials, range, size) : { full: 0, core: 0, differences: [] }
  for (const difference of final.differences) findings.add({ kind: 'core', topic, partition, ...difference })
  // A chunk has a ledger row for each table. A range counts as a gap only if no table has a ledger row for it.
  const fed = [...new Set(writeModes.flatMap(mode => tablesOf(topic, mode)))]
  const asked = { topic, partition, from, until }
  const together = await auditLedger({ log, columnStore, group, destinations: fed }, asked, { whole: true })
  const audit = await auditLedger({ log, columnStore, group, destinations: [destination] }, asked, { whole: true, gaps: false })
  const faults = [...together.faults.filter(({ kind }) => kind === 'gap'), ...audit.faults]
  for (const { kind, first, last, spans } of faults) findings.add({ kind: `ledger_${kind}`, topic, partition, first, last, spans })

  return {
    topic,
    partition,
    from,
    until,
    waiting: Math.max(0, highWatermark - until),
    records: onLog.records,
    spans: onLog.spans,
    entities: onLog.entities,
    stored,
    superseded,
    deadLettered: onLog.deadLettered + deadLettersExpired,
    deadLettersExpired,
    denied,
    missing,
    rawRows,
    finalRows: final.full,
    coreFinalRows: final.core,
    ledgerSpans: audit.spans,
    unaccounted: faults.reduce((sum, { spans }) => sum + spans, 0),
  }
}

async function readSlices(
  { log, deadLetters, storedSpans }: ComparisonDeps,
  gone: ExpiredDeadLetters,
  range: Parameters<typeof recordsOf>[1],
  size: number,
) {
  const slices = new Map<number, Slice>()
  const total = { records: 0, spans: 0, entities: 0, deadLettered: 0, oldestUs: undefined as number | undefined }
  for await (const records of recordsOf(log, range)) {
    for (const { offset, value, timestampMs } of records) {
      const envelope = envelopeOf(value, timestampMs)
      const spans = storedSpans(range.topic, envelope)
      const ofRecord = deadLetters.get(recordKey(range.topic, range.partition, offset))
      const deadLettered = spans === 0 ? 0 : deadLetteredSpans(ofRecord, spans)
      const number = Math.floor((offset - range.from) / size)
      const slice = slices.get(number) ?? { spans: 0, deadLettered: 0 }
      slices.set(number, slice)
      slice.spans += spans
      slice.deadLettered += deadLettered
      total.records += 1
      total.spans += spans
      total.deadLettered += deadLettered
      if (envelope.isEntity) {
        total.entities += 1
        // The ledger counts this dead letter. Without this call, the check would assume that the dead letter was deleted.
        gone.found(offset, deadLetteredSpans(ofRecord, envelope.spans))
        continue
      }
      gone.found(offset, deadLettered)
      total.oldestUs = Math.min(total.oldestUs ?? envelope.rowTimeUs, envelope.rowTimeUs)
    }
  }
  return { slices, ...total }
}

/**
 * Combines slices that have differences into runs. A run also includes the slices without differences that are between its first and last
 * slice. A run of several slices has at most `comparedSpans` spans. The comparison of each run reads the provenance of the whole table, so
 * fewer runs take less time.
 */
function runs(numbers: readonly number[], spansOf: (slice: number) => number): { first: number; last: number }[] {
  const joined: { first: number; last: number; spans: number }[] = []
  for (const number of numbers) {
    const before = joined.at(-1)
    let spans = spansOf(number)
    for (let between = (before?.last ?? number) + 1; between < number; between++) spans += spansOf(between)
    if (before !== undefined && before.spans + spans <= comparedSpans) {
      before.last = number
      before.spans += spans
    } else joined.push({ first: number, last: number, spans: spansOf(number) })
  }
  return joined
}
