// From when on rows of the old tables are the live path's: behind the last record that was accepted without dual write, once everything up to there is in the
// old tables. Later than that is safe, since a row that is there is not written again; earlier would lose rows.
import { AppError, counted } from '@svc-server/errors'
import type { EventLog, GroupLag } from '@svc-server/log'
import { flows } from '@svc-server/modes/flows'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { modeOfSpanBatch } from '@svc-server/schema/span-batch'

export interface CutoffOptions {
  readonly log: Pick<EventLog, 'describe' | 'read' | 'lag'>
  /** Of this process: records that do not say theirs are served in it. */
  readonly writeMode: WriteMode
  readonly clock: () => number
  /** Throws `draining` when the process has to end. */
  readonly sleep: (ms: number) => Promise<void>
  /** When the events tables were made, or lost rows: what was accepted before is in the old tables alone, whatever the log says of its mode. */
  readonly notBeforeMs?: number
  /** How much of the log is read at most, beside its last minutes: terabytes behind them do not delay the start. */
  readonly maxScanBytes?: number
}

export interface Cutoff {
  readonly cutoffMs: number
  /** Append time of the first record with dual write, or without the old tables, among those that were read. Null: there is none. */
  readonly dualSinceMs: number | null
}

/** A gateway that was not redeployed yet may still take spans without dual write. */
const quietMs = 5 * 60_000
const maxReadBytes = 8 * 1024 * 1024
/** Of all partitions together. */
const maxScanBytes = 512 * 1024 * 1024
const firstBlock = 256
const settleMs = 60_000
const pollMs = 500

/** Where what clients send is accepted, then what is made of it on its way to the tables, in this order. Roots by OTel come from windows, too. */
const accepted: readonly string[] = [topicNames.direct, topicNames.overflow, topicNames.staging, topicNames.ingestion]
const stages: readonly (readonly string[])[] = [
  accepted,
  [topicNames.traceParts],
  [topicNames.entities, topicNames.runItems, topicNames.filled],
]

const refused = (text: string) => new AppError('backfill_refused', text)

const timeOf = (ms: number) => new Date(ms).toISOString()

/** Throws `backfill_refused` while it cannot be known, with the reason. */
export async function findCutoff(options: CutoffOptions): Promise<Cutoff> {
  const { writeMode, clock, notBeforeMs = 0 } = options
  if (writeMode === 'legacy') {
    throw refused(
      'SVC_MIGRATION_V4_WRITE_MODE=legacy: the backfill would miss what is accepted after it. Switch to dual, and let dual writing become healthy first.',
    )
  }
  const { lastWithoutMs, firstDualMs, knownFromMs } = await readModes(options)
  const now = clock()
  if (lastWithoutMs !== null && now - lastWithoutMs < quietMs) {
    throw refused(
      `Something was accepted without dual write at ${timeOf(lastWithoutMs)}. Redeploy every gateway and public API; the backfill begins ${quietMs / 60_000} minutes after the last such record.`,
    )
  }
  const earliest = lastWithoutMs === null ? (knownFromMs ?? firstDualMs ?? now) : lastWithoutMs + 1
  const cutoffMs = Math.min(now, Math.max(earliest, knownFromMs ?? 0, notBeforeMs))
  await requireStored(options, cutoffMs)
  return { cutoffMs, dualSinceMs: firstDualMs }
}

/** Resolves when everything that was accepted before the time is in the old tables. Throws `backfill_refused` while readers are behind. */
export const settle = (options: CutoffOptions, beforeMs: number): Promise<void> => requireStored(options, beforeMs)

interface Modes {
  readonly lastWithoutMs: number | null
  readonly firstDualMs: number | null
  /** What lies before was not read. Null: all was. */
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
 * From the end on, block before block, twice as many records each time, up to the last record without dual write, the log's beginning or as many bytes as it may read. In the last case
 * the time from which on the partition is known is said, which is later than needed and therefore safe.
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
    // It may be long: a process that has to end does not read all of it.
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
    // Holes at the end: nothing more is there.
    if (batch.nextOffset <= at) break
    at = batch.nextOffset
  }
  return { modes, bytes, firstMs }
}

/** Null: the record does not say it, or nobody can read it. */
function modeOf(topic: string, value: Uint8Array): WriteMode | null {
  try {
    if (topic === topicNames.ingestion) return decodeIngestionEvent(value).writeMode ?? null
    return modeOfSpanBatch(value)
  } catch {
    return null
  }
}

/** Waits until what was accepted before the time is in the old tables; records that follow from it stand behind it on the log. */
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
        throw refused(`What was accepted before ${timeOf(until)} is not in the old tables yet: ${listOf(behind)}.`)
      }
      await sleep(pollMs)
    }
    until = clock()
  }
}

/** `svc.writer on entities (12 records), …`: its partitions together. */
function listOf(behind: readonly GroupLag[]): string {
  const records = new Map<string, number>()
  for (const { group, topic, lagRecords } of behind) {
    const who = `${group} on ${topic}`
    records.set(who, (records.get(who) ?? 0) + lagRecords)
  }
  return [...records].map(([who, count]) => `${who} (${counted(count, 'record')})`).join(', ')
}
