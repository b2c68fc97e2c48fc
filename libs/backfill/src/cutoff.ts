// From when on rows of the old tables are the live path's: behind the last record that was accepted without dual write, once everything up to there is in the
// old tables. Later than that is safe, since a row that is there is not written again; earlier would lose rows.
import { AppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
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
}

export interface Cutoff {
  readonly cutoffMs: number
  /** Append time of the first record with dual write, or without the old tables. Null: there is none on the log. */
  readonly dualSinceMs: number | null
}

/** A gateway that was not redeployed yet may still take spans without dual write. */
const quietMs = 5 * 60_000
const maxReadBytes = 8 * 1024 * 1024
const settleMs = 60_000
const pollMs = 500

/** Where what clients send is accepted, then what is made of it on its way to the old tables, in this order. */
const accepted: readonly string[] = [topicNames.direct, topicNames.overflow, topicNames.staging, topicNames.ingestion]
const stages: readonly (readonly string[])[] = [accepted, [topicNames.traceParts], [topicNames.entities, topicNames.runItems]]

const refused = (text: string) => new AppError('backfill_refused', text)

const timeOf = (ms: number) => new Date(ms).toISOString()

/** Throws `backfill_refused` while it cannot be known, with the reason. */
export async function findCutoff(options: CutoffOptions): Promise<Cutoff> {
  const { writeMode, clock } = options
  if (writeMode === 'legacy') {
    throw refused(
      'SVC_MIGRATION_V4_WRITE_MODE=legacy: the backfill would miss what is accepted after it. Switch to dual, and let dual writing become healthy first.',
    )
  }
  const { lastWithoutMs, firstDualMs } = await readModes(options)
  const now = clock()
  if (lastWithoutMs !== null && now - lastWithoutMs < quietMs) {
    throw refused(
      `Something was accepted without dual write at ${timeOf(lastWithoutMs)}. Redeploy every gateway and public API; the backfill begins ${quietMs / 60_000} minutes after the last such record.`,
    )
  }
  const cutoffMs = lastWithoutMs === null ? (firstDualMs ?? now) : lastWithoutMs + 1
  await requireStored(options, cutoffMs)
  return { cutoffMs, dualSinceMs: firstDualMs }
}

interface Modes {
  readonly lastWithoutMs: number | null
  readonly firstDualMs: number | null
}

async function readModes({ log, writeMode, sleep }: CutoffOptions): Promise<Modes> {
  let lastWithoutMs: number | null = null
  let firstDualMs: number | null = null
  for (const { spec, partitions } of await log.describe()) {
    if (!accepted.includes(spec.name)) continue
    for (const { partition, lowWatermark, highWatermark } of partitions) {
      for (let from = lowWatermark; from < highWatermark; ) {
        // The log may be long: a process that has to end does not read all of it.
        await sleep(0)
        const batch = await log.read(spec.name, partition, from, maxReadBytes)
        for (const { value, timestampMs } of batch.records) {
          const mode = (value === null ? null : modeOf(spec.name, value)) ?? writeMode
          if (mode === 'legacy') lastWithoutMs = Math.max(lastWithoutMs ?? 0, timestampMs)
          else firstDualMs = Math.min(firstDualMs ?? Number.POSITIVE_INFINITY, timestampMs)
        }
        // Holes at the end: nothing more is there.
        if (batch.nextOffset <= from) break
        from = batch.nextOffset
      }
    }
  }
  return { lastWithoutMs, firstDualMs }
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

/** Waits until what was accepted before the time is in the old tables; what comes of it on the way is behind it on the log. */
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
        const list = behind.map(({ group, topic, lagRecords }) => `${group} on ${topic} (${lagRecords} records)`)
        throw refused(`What was accepted before ${timeOf(until)} is not in the old tables yet: ${[...new Set(list)].join(', ')}.`)
      }
      await sleep(pollMs)
    }
    until = clock()
  }
}
