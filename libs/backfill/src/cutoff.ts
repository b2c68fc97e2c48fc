// Determines the cutoff. From the cutoff on, each row that the live path writes to the old tables is also written to the events tables. The
// cutoff is later than the last record that was written only to the old tables. All records from before the cutoff must already be in the
// old tables. A late cutoff is safe: the backfill then also reads rows that the live path has already written, but does not write these
// rows again. An early cutoff loses rows.
import { AppError, counted } from '@svc-server/errors'
import type { EventLog, GroupLag } from '@svc-server/log'
import { flows } from '@svc-server/modes/flows'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { modeOfSpanBatch } from '@svc-server/schema/span-batch'

export interface CutoffOptions {
  readonly log: Pick<EventLog, 'describe' | 'read' | 'lag'>
  /** The write mode of this process. A record that states no write mode counts as a record of this mode. */
  readonly writeMode: WriteMode
  readonly clock: () => number
  /** Throws `draining` if the process must end. */
  readonly sleep: (ms: number) => Promise<void>
  /**
   * Time at which the events tables were created, or at which they lost rows. Rows accepted before this time are only in the old tables,
   * even if their records have the write mode `dual`.
   */
  readonly notBeforeMs?: number
  /** Maximum bytes of the log to read. The scan reads the last minutes of the log even beyond this limit. */
  readonly maxScanBytes?: number
}

export interface Cutoff {
  readonly cutoffMs: number
  /**
   * Append time of the earliest record with the write mode `dual` or `events_only` that the scan has read. Null if there is no such record.
   */
  readonly dualSinceMs: number | null
}

/** During this time, a gateway that is not yet redeployed could still accept a record without dual write. */
const quietMs = 5 * 60_000
const maxReadBytes = 8 * 1024 * 1024
/** Maximum bytes that the scan reads from all partitions together. */
const maxScanBytes = 512 * 1024 * 1024
const firstBlock = 256
const settleMs = 60_000
const pollMs = 500

/** Topics with records from clients. */
const accepted: readonly string[] = [topicNames.direct, topicNames.overflow, topicNames.staging, topicNames.ingestion]
/**
 * Lists of topics, in the order in which data passes through the topics. The topics of the later lists contain records that services derive
 * from the records of earlier lists. There are two exceptions. The API writes the records of `run.items`. And `trace.parts` also contains
 * commands (deletions and flags), which the merger forwards to this topic.
 */
const stages: readonly (readonly string[])[] = [
  accepted,
  [topicNames.traceParts],
  [topicNames.entities, topicNames.runItems, topicNames.filled],
]

const refused = (text: string) => new AppError('backfill_refused', text)

const timeOf = (ms: number) => new Date(ms).toISOString()

/** Throws `backfill_refused` while the cutoff cannot be determined. */
export async function findCutoff(options: CutoffOptions): Promise<Cutoff> {
  const { writeMode, clock, notBeforeMs = 0 } = options
  if (writeMode === 'legacy') {
    throw refused(
      'SVC_MIGRATION_V4_WRITE_MODE=legacy: the backfill would miss data that is accepted after it has started. Switch to dual first, and wait until dual writing is healthy.',
    )
  }
  const { lastWithoutMs, firstDualMs, knownFromMs } = await readModes(options)
  const now = clock()
  if (lastWithoutMs !== null && now - lastWithoutMs < quietMs) {
    throw refused(
      `At ${timeOf(lastWithoutMs)} a record was accepted without dual write. Redeploy every gateway and public API. The backfill begins ${quietMs / 60_000} minutes after the last record without dual write.`,
    )
  }
  const earliest = lastWithoutMs === null ? (knownFromMs ?? firstDualMs ?? now) : lastWithoutMs + 1
  const cutoffMs = Math.min(now, Math.max(earliest, knownFromMs ?? 0, notBeforeMs))
  await requireStored(options, cutoffMs)
  return { cutoffMs, dualSinceMs: firstDualMs }
}

/**
 * Waits until all records accepted before the given time are in the old tables. Throws `backfill_refused` if the readers of the log have
 * not processed these records within `settleMs`.
 */
export const settle = (options: CutoffOptions, beforeMs: number): Promise<void> => requireStored(options, beforeMs)

interface Modes {
  readonly lastWithoutMs: number | null
  readonly firstDualMs: number | null
  /**
   * Null if no scan stopped at its byte limit. If the scan of one partition stopped at its limit, the append time of the earliest record
   * that the scan has read. If several scans stopped at their limits, the latest of these append times.
   */
  readonly knownFromMs: number | null
}

async function readModes(options: CutoffOptions): Promise<Modes> {
  const partitions = (await options.log.describe())
    .filter(({ spec }) => accepted.includes(spec.name))
    .flatMap(({ spec, partitions }) => partitions.map(partition => ({ topic: spec.name, ...partition })))
    .filter(({ lowWatermark, highWatermark }) => lowWatermark < highWatermark)
  const budget = (options.maxScanBytes ?? maxScanBytes) / Math.max(partitions.length, 1)
  const found: Modes[] = []
  for (const partition of partitions) found.push(await readBackwards(options, partition, budget))
  return joined(found)
}

function joined(all: readonly Modes[]): Modes {
  const pick = (times: readonly (number | null)[], better: (a: number, b: number) => number) =>
    times.reduce((best, ms) => (ms === null ? best : better(best ?? ms, ms)), null)
  return {
    lastWithoutMs: pick(
      all.map(({ lastWithoutMs }) => lastWithoutMs),
      Math.max,
    ),
    firstDualMs: pick(
      all.map(({ firstDualMs }) => firstDualMs),
      Math.min,
    ),
    knownFromMs: pick(
      all.map(({ knownFromMs }) => knownFromMs),
      Math.max,
    ),
  }
}

interface Partition {
  readonly topic: string
  readonly partition: number
  readonly lowWatermark: number
  readonly highWatermark: number
}

/**
 * Reads a partition backward from its end, in blocks of doubling size. Stops at the last record without dual write, at the beginning of the
 * log, or at the byte limit. If it stops at the byte limit, the result has the time of the earliest record that was read.
 */
async function readBackwards(options: CutoffOptions, partition: Partition, budget: number): Promise<Modes> {
  let known: Modes = { lastWithoutMs: null, firstDualMs: null, knownFromMs: null }
  let read = 0
  for (let end = partition.highWatermark, records = firstBlock; end > partition.lowWatermark; records *= 2) {
    const from = Math.max(partition.lowWatermark, end - records)
    const block = await readBlock(options, partition, from, end)
    known = joined([known, block.modes])
    if (known.lastWithoutMs !== null) return known
    read += block.bytes
    end = from
    const isQuiet = block.firstMs !== null && options.clock() - block.firstMs > quietMs
    if (read >= budget && isQuiet && from > partition.lowWatermark) return { ...known, knownFromMs: block.firstMs }
  }
  return known
}

async function readBlock({ log, writeMode, sleep }: CutoffOptions, { topic, partition }: Partition, from: number, end: number) {
  let modes: Modes = { lastWithoutMs: null, firstDualMs: null, knownFromMs: null }
  let bytes = 0
  let firstMs: number | null = null
  for (let at = from; at < end; ) {
    // The scan can take long, so it must notice that the process ends: in that case, `sleep` throws.
    await sleep(0)
    const batch = await log.read(topic, partition, at, maxReadBytes)
    for (const { value, timestampMs, offset } of batch.records) {
      if (offset >= end) break
      firstMs ??= timestampMs
      bytes += value?.length ?? 0
      const mode = (value === null ? null : modeOf(topic, value)) ?? writeMode
      const isWithout = mode === 'legacy'
      modes = joined([
        modes,
        { lastWithoutMs: isWithout ? timestampMs : null, firstDualMs: isWithout ? null : timestampMs, knownFromMs: null },
      ])
    }
    // The read made no progress, so the rest of the block has no records.
    if (batch.nextOffset <= at) break
    at = batch.nextOffset
  }
  return { modes, bytes, firstMs }
}

/** Returns null if the record has no write mode or is unreadable. */
function modeOf(topic: string, value: Uint8Array): WriteMode | null {
  try {
    if (topic === topicNames.ingestion) return decodeIngestionEvent(value).writeMode ?? null
    return modeOfSpanBatch(value)
  } catch {
    return null
  }
}

/**
 * Waits until all records accepted before the given time are in the old tables. The function checks the topics in the order in which
 * data passes through them, because a derived record is appended after its source.
 */
async function requireStored({ log, clock, sleep }: CutoffOptions, beforeMs: number): Promise<void> {
  let until = beforeMs
  const giveUpAt = clock() + settleMs
  for (const topics of stages) {
    for (;;) {
      const now = clock()
      const behind = (await log.lag()).filter(
        ({ topic, group, lagRecords, lagMs }) =>
          topics.includes(topic) &&
          flows.some(flow => flow.topic === topic && flow.group === group) &&
          lagRecords > 0 &&
          now - lagMs < until,
      )
      if (behind.length === 0) break
      if (now > giveUpAt) {
        throw refused(`Data accepted before ${timeOf(until)} is not in the old tables yet: ${listOf(behind)}.`)
      }
      await sleep(pollMs)
    }
    until = clock()
  }
}

/** Returns a text such as `svc.writer on entities (12 records), …`. Each number is the sum over the partitions of a group. */
function listOf(behind: readonly GroupLag[]): string {
  const records = new Map<string, number>()
  for (const { group, topic, lagRecords } of behind) {
    const who = `${group} on ${topic}`
    records.set(who, (records.get(who) ?? 0) + lagRecords)
  }
  return [...records].map(([who, count]) => `${who} (${counted(count, 'record')})`).join(', ')
}
