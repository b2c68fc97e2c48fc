// The life of one staging partition under one owner: read on, close a window, publish it range by range, publish again what has become known
// since. Nothing is committed but by a publication, and everything here can be rebuilt from the log.
import { setImmediate as breathe } from 'node:timers/promises'
import { spansOfRecord } from '@svc-server/conservation'
import { AppError } from '@svc-server/errors'
import {
  type BatchOutcome,
  type CommittedOffset,
  type EventLog,
  type LogRecord,
  type NewRecord,
  type PartitionContext,
  readRange,
  readWithin,
} from '@svc-server/log'
import { encodeLedgerRecord, groupNames, topicNames } from '@svc-server/schema'
import type { Metrics } from '@svc-server/service'
import type { DeadLetters, Rejection, Tally } from '@svc-server/stream'
import { createBudget } from './budget.ts'
import type { PropagatorConfig } from './config.ts'
import { createRoom, filledRecord, type Room } from './filled-record.ts'
import type { propagatorMetrics } from './metrics.ts'
import { formatProgress, isOlder, noProgress, type Progress, parseProgress } from './progress.ts'
import type { RecordReading } from './reading/messages.ts'
import { publishRepairs } from './repairs.ts'
import type { TraceState } from './state/index.ts'
import { createDecisions, type Decision, type Decisions } from './windows/decisions.ts'
import { createLogClock } from './windows/log-clock.ts'
import type { Schedule } from './windows/schedule.ts'
import { addRecord, isFull, keyText, type OpenWindow, openWindow } from './windows/window.ts'

export interface PartitionDeps {
  readonly partition: number
  readonly log: EventLog
  readonly state: TraceState
  /** One reading per value, in order. */
  readonly read: (values: readonly Uint8Array[]) => Promise<readonly RecordReading[]>
  readonly schedule: Schedule
  readonly deadLetters: DeadLetters
  readonly config: PropagatorConfig
  readonly metrics: Metrics<typeof propagatorMetrics>
  readonly monotonicNow: () => number
  /** A publication was committed; `windowEndMs` is the end of the newest window that is wholly published. */
  readonly onProgress: (partition: number, windowEndMs: number | null) => void
}

/** Where an owner finds the partition. */
export interface Assignment {
  readonly committed?: CommittedOffset
  readonly lowWatermark: number
  readonly highWatermark: number
  /** Of the partition of trace.attributes, asked for after the former owner was shut out. */
  readonly changelogEnd: number
}

export interface StagingPartition {
  /**
   * Works for a while. `done`: nothing is open. Rejects as the log does; then what was read is forgotten, and the next call begins at what is
   * committed.
   */
  work(context: PartitionContext, signal: AbortSignal): Promise<BatchOutcome>
  /** Monotonic time at which the window in work was opened; null when there is none. */
  readonly openSince: number | null
  /** Traces that waited for a repair when this was last looked at. */
  readonly pendingRepairs: number
}

type ClosedBy = 'record' | 'time' | 'size' | 'restart'

interface ClosedWindow {
  readonly window: OpenWindow
  readonly last: number
  readonly closedBy: ClosedBy
  readonly decisions: Decisions
}

const topic = topicNames.staging
const group = groupNames.propagator
const recordsBetweenBreaths = 250
/** Of one job of the reading thread: its answers are taken in without a breath. */
const recordsPerReading = 500
/** What a fill-in adds to a record, mostly. */
const fillBytes = 384
/** Of `publishBytes`: what a transaction may have. Compressed spans may be a small part of what they are filled with. */
const maxGrowth = 4
const restMs = 1_000
const repairRestMs = 200
/** Between the project and the trace in a record's key. */
const slash = 0x2f

export function createStagingPartition(deps: PartitionDeps, assigned: Assignment): StagingPartition {
  const { partition, log, state, schedule, config, metrics, monotonicNow } = deps
  const logClock = createLogClock(monotonicNow)
  /** What the group has committed; unknown after a failure, and then asked for. */
  let committed: CommittedOffset | undefined = assigned.committed
  let known: 'assigned' | 'followed' | 'unknown' = 'assigned'
  /** The changelog has records of this partition that the state has not read. */
  let behind = true
  /** The newest of them, if they are this owner's. */
  let lastAttributes: NewRecord | undefined
  /** `progress`, `position` and the window stand for `committed`. */
  let isRead = false
  let progress: Progress = noProgress
  /** Next offset to be read into a window. */
  let position = 0
  /** The partition goes at least so far: what does not show it yet is behind. */
  let knownEnd = assigned.highWatermark
  let open: OpenWindow | null = null
  let closed: ClosedWindow | null = null
  let published = 0
  let pendingRepairs = 0
  /** Of the values of a range, while a window is being published. */
  let room: Room | null = null
  /** Of a staged record, as they have been lately. */
  let recordBytes = 4096
  const repairBudget = createBudget(config.repairBytesPerSecond, monotonicNow)

  async function recover(found: CommittedOffset | undefined, signal: AbortSignal): Promise<void> {
    if (known === 'unknown') {
      // To go on from there would publish again what was committed since.
      if (isOlder(found, committed)) {
        const [was, is] = [committed?.offset, found?.offset ?? 'nothing']
        throw new AppError('log_unavailable', `${topic}/${partition} is said to be committed at ${is}, and was committed at ${was} before.`)
      }
      // What failed was not done: what has been read so far still holds, and a window is not read again for every try at a full disk.
      if (found?.offset === committed?.offset && found?.metadata === committed?.metadata && isRead) {
        known = 'followed'
        return
      }
      committed = found
    }
    open = null
    closed = null
    isRead = false
    progress = parseProgress(committed)
    published = progress.published ?? committed?.offset ?? assigned.lowWatermark
    position = published
    await catchUp(signal)
    const { window } = progress
    if (window !== null && published <= window.last) closed = await rebuild(window)
    isRead = true
    known = 'followed'
  }

  async function catchUp(signal: AbortSignal): Promise<void> {
    const { window } = progress
    const endMs = window !== null && published > window.last ? window.endMs : undefined
    const { newestTimestampMs } = await state.catchUp(partition, { last: lastAttributes, end: assigned.changelogEnd, endMs, signal })
    if (newestTimestampMs !== null) logClock.seen('changelog', newestTimestampMs)
    behind = false
  }

  /** A window that was being published: its bounds stand in the commit, so it is the same window again. */
  async function rebuild({ first, last, endMs }: NonNullable<Progress['window']>): Promise<ClosedWindow> {
    const window = openWindow(first, endMs, monotonicNow())
    // What retention has taken was published before: its traces are in the state.
    const range = { topic, partition, from: Math.max(first, assigned.lowWatermark), until: last + 1 }
    for await (const { records } of readRange(log, range, config.readBytes)) await take(window, records, 'end')
    position = last + 1
    return closing(window, last, 'restart')
  }

  const closing = (window: OpenWindow, last: number, closedBy: ClosedBy): ClosedWindow => ({
    window,
    last,
    closedBy,
    decisions: createDecisions(partition, window, last, state, config),
  })

  /** Answers how many of the records it took: `full`: not those behind the one with which the window is full. */
  async function take(window: OpenWindow, records: readonly LogRecord[], until: 'full' | 'end'): Promise<number> {
    for (let from = 0; from < records.length; from += recordsPerReading) {
      if (until === 'full' && isFull(window, config)) return from
      const some = records.slice(from, from + recordsPerReading)
      const readings = await deps.read(some.map(({ value }) => value ?? new Uint8Array(0)))
      for (const [index, record] of some.entries()) {
        const reading = readings[index]!
        if (reading.ok) metrics.cut.inc(reading.cut)
        addRecord(window, { offset: record.offset, key: asBuffer(record.key) }, reading, config.maxTraceSpans)
      }
    }
    return records.length
  }

  /** Reads on. False at the end of the partition. */
  async function readOn(): Promise<boolean> {
    const batch = await readWithin(log, { topic, partition, from: position, until: knownEnd }, config.readBytes)
    knownEnd = Math.max(knownEnd, batch.highWatermark)
    const [first] = batch.records
    if (first === undefined) {
      const moved = batch.nextOffset > position
      position = batch.nextOffset
      return moved
    }
    open ??= openWindow(position, schedule.endOf(first.timestampMs), monotonicNow())
    const { endMs } = open
    const beyond = batch.records.findIndex(({ timestampMs }) => timestampMs >= endMs)
    const within = beyond < 0 ? batch.records : batch.records.slice(0, beyond)
    const taken = await take(open, within, 'full')
    recordBytes = Math.max(1, batch.records.reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 0) / batch.records.length)
    logClock.seen('staging', batch.records.at(-1)!.timestampMs)
    position = batch.records[taken]?.offset ?? batch.nextOffset
    if (taken === within.length && beyond >= 0) close('record')
    else if (isFull(open, config)) close('size')
    // Not only where nothing was found: on a partition that is never idle there is always one more, and time could not end a window.
    return closed !== null || position < knownEnd
  }

  function close(closedBy: ClosedBy): void {
    closed = closing(open!, position - 1, closedBy)
    open = null
  }

  /** The next range of the closed window: its spans with their fill-ins, their traces' records, the ledger's and the offset, all or nothing. */
  async function publishNext({ window, last, decisions, closedBy }: ClosedWindow, context: PartitionContext): Promise<void> {
    const startedAt = monotonicNow()
    const batch = await readWithin(log, { topic, partition, from: published, until: last + 1 }, config.publishBytes)
    const records = batch.records.filter(({ offset }) => offset <= last)
    const range = await fillRange(window, records, decisions)
    const end = records[range.records]?.offset ?? Math.min(batch.nextOffset, last + 1)
    deps.deadLetters.admit(range.tally)

    const ledger = encodeLedgerRecord({
      group,
      topic,
      partition,
      // On the embedded log a staged offset without a record was given up: no range covers it, so that it shows.
      first: log.kind === 'embedded' ? (records[0]?.offset ?? published) : published,
      last: end - 1,
      records: range.records,
      spans: range.spans,
      rows: range.rows,
      deadLettered: range.deadLettered,
      denied: 0,
      versions: {},
    })
    const appends = new Map<string, readonly NewRecord[]>([
      [topicNames.filled, range.filled],
      [topicNames.traceAttributes, range.attributes],
      [topicNames.ledger, [{ key: ledgerKey(log, partition), value: ledger }]],
      ...deps.deadLetters.appends({ topic, partition }, range.rejected),
    ])
    const isWhole = end > last
    const repairsFollow = isWhole && (decisions.repairsNeeded || state.pendingCount(partition) > 0)
    const next = { ...progress, window: { first: window.first, last, endMs: window.endMs }, published: repairsFollow ? end : null }
    await commit(context, repairsFollow ? window.lastRecord : end, next, appends)
    deps.deadLetters.acknowledged(range.tally)
    published = end
    room?.clear()

    metrics.publishSeconds.observe((monotonicNow() - startedAt) / 1000)
    range.count()
    if (isWhole) {
      closed = null
      room = null
      metrics.windows.inc({ closed_by: closedBy })
    }
    deps.onProgress(partition, isWhole ? window.endMs : null)
  }

  async function commit(context: PartitionContext, offset: number, next: Progress, appends: ReadonlyMap<string, readonly NewRecord[]>) {
    const metadata = formatProgress(next)
    await context.commitWith(offset, metadata, appends)
    committed = { offset, metadata }
    progress = next
    behind = true
    lastAttributes = appends.get(topicNames.traceAttributes)?.at(-1) ?? lastAttributes
  }

  async function fillRange(window: OpenWindow, records: readonly LogRecord[], decisions: Decisions) {
    const filled: NewRecord[] = []
    const attributes: NewRecord[] = []
    const rejected: Rejection[] = []
    const exits: Decision[] = []
    const owners = new Set<string>()
    const sums = { records: 0, spans: 0, rows: 0, deadLettered: 0, unfilled: 0, late: 0 }
    let bytes = 0
    const needed = records.reduce((sum, { value }) => sum + (value?.byteLength ?? 0) + fillBytes, 0)
    if (room === null || room.bytes < needed) room = createRoom(needed)
    for (const [index, record] of records.entries()) {
      if (bytes >= maxGrowth * config.publishBytes) break
      if (index % recordsBetweenBreaths === recordsBetweenBreaths - 1) await breathe()
      sums.records++
      const bad = window.bad.get(record.offset)
      if (bad !== undefined) {
        const raw = record.value ?? new Uint8Array(0)
        const { reason, message, projectId: owner } = bad
        rejected.push({ offset: record.offset, index: null, stage: 'propagator', reason, message, owner, raw })
        sums.deadLettered += spansOfRecord(raw)
        sums.spans += spansOfRecord(raw)
        continue
      }
      const key = asBuffer(record.key)
      if (key !== null) owners.add(key.toString('utf8', 0, Math.max(0, key.lastIndexOf(slash))))
      const trace = key === null ? undefined : window.traces.get(keyText(key))
      const decision = trace && decisions.of(trace)
      const isFilled = decision !== undefined && record.offset <= decision.filledUntil
      const { record: out, spans } = filledRecord(record, isFilled ? decision.fill : null, 0, room)
      filled.push(out)
      bytes += out.value!.byteLength
      sums.spans += spans
      sums.rows += spans
      if (!isFilled) sums.unfilled += spans
      if (decision?.late) sums.late += spans
      // A trace leaves the window with its first record, so that each is counted, and recorded, once.
      if (decision !== undefined && trace!.offsets[0] === record.offset) {
        exits.push(decision)
        if (decision.record !== null) {
          attributes.push(decision.record)
          bytes += decision.record.value!.byteLength
        }
      }
    }
    const count = () => {
      for (const { exit } of exits) metrics.windowExits.inc({ reason: exit })
      metrics.spans.inc({ outcome: 'filled' }, sums.rows - sums.unfilled)
      metrics.spans.inc({ outcome: 'unfilled' }, sums.unfilled)
      metrics.spans.inc({ outcome: 'dead_lettered' }, sums.deadLettered)
      metrics.lateSpans.inc(sums.late)
    }
    const tally: Tally = { items: sums.spans, owners, rejected, itemsOf: ({ raw }) => spansOfRecord(raw) }
    return { ...sums, filled, attributes, rejected, tally, count }
  }

  /** Publishes again, as far as the budget goes. False when nothing is pending or the budget is spent. */
  async function repair(context: PartitionContext, signal: AbortSignal): Promise<boolean> {
    pendingRepairs = state.pendingCount(partition)
    if (repairBudget.left() <= 0 || committed === undefined) return false
    const held = committed.offset
    const outcome = await publishRepairs(
      // What the budget gives in a second, as far as that can be told before anything is read.
      { log, state, partition, config, metrics, signal, maxRecords: Math.ceil(config.repairBytesPerSecond / recordBytes) },
      {
        repairs: progress.repairs,
        commit: async appends => {
          await commit(context, held, { ...progress, repairs: progress.repairs + 1 }, appends)
          deps.onProgress(partition, null)
          return progress.repairs
        },
      },
    )
    repairBudget.spend(outcome.readBytes)
    return outcome.committed
  }

  async function step(context: PartitionContext, signal: AbortSignal): Promise<BatchOutcome | 'go on'> {
    if (closed !== null) {
      await publishNext(closed, context)
      return 'go on'
    }
    // Here and not within a window: its fill-ins are those of the state at its end.
    if (behind) await catchUp(signal)
    // Between windows only: a repair's commit must not stand for a range of a window. And at most what the budget allows, so that windows go on.
    if (await repair(context, signal)) return 'go on'
    // Asked before reading on: what was appended until the window was over is in it, however long the reading takes.
    const over = open !== null && schedule.isOver(open, logClock.now()) ? open : null
    if (await readOn()) return 'go on'
    if (open !== null) {
      if (open !== over) return { kind: 'pause', afterMs: schedule.waitMs(open, logClock.now()) }
      close('time')
      return 'go on'
    }
    // The budget of repairs is spent: the rest of them still needs its turn.
    if (state.pendingCount(partition) > 0) return { kind: 'pause', afterMs: repairRestMs }
    if (committed?.offset !== position) await commitAll(context)
    return { kind: 'done' }
  }

  /** Everything is published, repairs too: what is left is holes, which transactions and retention leave behind. */
  async function commitAll(context: PartitionContext): Promise<void> {
    const next = { ...progress, published: null }
    const metadata = formatProgress(next)
    await context.commit(position, metadata)
    committed = { offset: position, metadata }
    progress = next
    published = position
    deps.onProgress(partition, null)
  }

  return {
    async work(context, signal) {
      try {
        if (known !== 'followed') await recover(context.committed, signal)
        // Fetches bring several partitions, and the next one waits for all of them.
        const turnEnds = monotonicNow() + config.turnMs
        while (!signal.aborted) {
          const outcome = await step(context, signal)
          if (outcome !== 'go on') return outcome
          if (monotonicNow() >= turnEnds) return { kind: 'pause', afterMs: 0 }
        }
        return { kind: 'pause', afterMs: restMs }
      } catch (error) {
        known = 'unknown'
        // A commit of unknown outcome may still be reading it.
        room = null
        throw error
      }
    },
    get pendingRepairs() {
      return pendingRepairs
    },
    get openSince() {
      return (closed?.window ?? open)?.openedAt ?? null
    },
  }
}

const asBuffer = (bytes: Uint8Array | null): Buffer | null =>
  bytes === null ? null : Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const ledgerKey = (log: EventLog, partition: number): Buffer => Buffer.from(`${log.logId(topic)}/${partition}`)
