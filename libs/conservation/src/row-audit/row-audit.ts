// Reads every committed record of this process's partitions. The write mode of a record decides which tables must contain the record's
// items. The audit looks up the items in each of these tables. Together with the ledger's audit, this audit determines the gauge
// svc_unaccounted_spans.
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import type { Denials } from '@svc-server/deletions/denials'
import { isAppError } from '@svc-server/errors'
import type { ThreadSource } from '@svc-server/fairness/worker-pool'
import type { EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { OffsetRange } from '../spans-on-log.ts'
import { auditedTables, createTablesOf } from './audited-tables.ts'
import { createPace } from './pace.ts'
import { createProgressStore, type OpenRange, type Progress } from './progress.ts'
import { createQuestion, itemsPerStep, type Question } from './question.ts'
import { createRecordReader } from './record-reader.ts'
import { type AuditedPartition, createTargets } from './targets.ts'
import { cutOpen, joined, lostOf } from './unaccounted.ts'
import { type Gathered, gatherStep, judgeStep, walkStep } from './walk.ts'

export type { AuditedPartition } from './targets.ts'

export interface RowAuditDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  /** Maximum decoded bytes of a record; equal to the writer's limit. */
  readonly maxRecordBytes: number
  /** The write mode for records that do not contain a write mode. */
  readonly writeMode: WriteMode
  readonly denials: Denials
  /** Share of one core, including the column store's work: above 0, and at most 1. */
  readonly share: number
  /** If absent, the reader creates its own threads. */
  readonly threads?: ThreadSource | undefined
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Called if retention has deleted offsets that were not checked. */
  readonly onPassed: (range: OffsetRange) => void
  /** Called if retention has deleted the records of missing spans, so that the spans can never be stored. */
  readonly onLost: (partition: AuditedPartition, range: OpenRange) => void
}

export interface RowAudit {
  /**
   * Sets the partitions to audit. The audit checks a record of spans.staging only after the writer has acknowledged everything that the
   * propagator published from the record.
   */
  own(partitions: readonly AuditedPartition[]): void
  /**
   * Runs some steps on every partition, and resolves with true if there is more to check. If the audit of a partition fails, the round
   * continues with the other partitions. At its end, the round rejects with the error of the failed audit. The error is a column_store_* or
   * log_* AppError.
   */
  round(): Promise<boolean>
  status(): readonly AuditStatus[]
  stop(): Promise<void>
}

export interface AuditStatus extends AuditedPartition {
  readonly missing: readonly OpenRange[]
  /** Age of the oldest unaudited record, in milliseconds; 0 if there is none. */
  readonly lagMs: number
}

interface Owned extends AuditedPartition {
  /** Null until it is read. */
  progress: Progress | null
  changed: boolean
  /** End (exclusive) of the offsets that can be checked. */
  until: number
  /** Append time of the newest checked record. */
  lastMs: number | null
}

const stepsPerRound = 4
/**
 * After the audit has first found a range with missing items, it waits at least this long before it reports the range. On Kafka, an open
 * transaction can hide a committed dead letter until the brokers abort the transaction.
 */
const confirmMs = { embedded: 0, kafka: 60_000 }

export function createRowAudit(deps: RowAuditDeps): RowAudit {
  const { log, columnStore, clock, onPassed, onLost } = deps
  const stopping = new AbortController()
  const reader = createRecordReader(deps)
  const walking = {
    log,
    columnStore,
    reader,
    pace: createPace(deps.share, stopping.signal),
    tablesOf: createTablesOf(deps.writeMode),
    denials: deps.denials,
  }
  const store = createProgressStore({ log, columnStore })
  const targets = createTargets({ log, clock })
  let owned: readonly Owned[] = []

  const isConfirmed = ({ sinceMs }: OpenRange): boolean => clock() - sinceMs >= confirmMs[log.kind]

  async function lowWatermark({ topic, partition }: AuditedPartition): Promise<number> {
    const described = (await log.describe()).find(({ spec }) => spec.name === topic)
    return described?.partitions.find(one => one.partition === partition)?.lowWatermark ?? 0
  }

  async function begin(one: Owned): Promise<Progress> {
    const { topic, partition, until } = one
    const known = one.progress ?? (await store.load(topic, partition)) ?? { topic, partition, next: await lowWatermark(one), open: [] }
    // If the offset of the writer's group was moved back, the writer processes the records again. The audit therefore moves back, too.
    const next = Math.min(known.next, Math.max(until, 0))
    one.progress = next === known.next ? known : { ...known, next, open: cutOpen(known.open, next) }
    return one.progress
  }

  /** Reads the append time of the oldest unaudited record. */
  async function peek(one: Owned): Promise<void> {
    const { topic, partition, next } = await begin(one)
    if (one.lastMs !== null || next >= one.until) return
    const low = await lowWatermark(one)
    one.lastMs = (await log.read(topic, partition, Math.max(next, low), 1)).records[0]?.timestampMs ?? null
  }

  /** Runs `work` on the range. If retention has already deleted the start of the range, returns the low watermark as `gone`. */
  async function reaching<T>(range: OffsetRange, work: () => Promise<T>): Promise<T | { readonly gone: number }> {
    try {
      return await work()
    } catch (error) {
      if (!isAppError(error) || error.code !== 'offset_out_of_range') throw error
      const low = await lowWatermark(range)
      if (low <= range.from) throw error
      return { gone: low }
    }
  }

  function pass(one: Owned, progress: Progress, low: number): void {
    const { topic, partition, next } = progress
    one.changed = true
    onPassed({ topic, partition, from: next, until: low })
    one.progress = { ...progress, next: low }
  }

  /** Null if nothing was read. */
  async function gather(one: Owned, question: Question): Promise<Gathered | null> {
    const progress = await begin(one)
    const { topic, partition, next: from } = progress
    if (from >= one.until) return null
    const range = { topic, partition, from, until: one.until }
    const gathered = await reaching(range, () => gatherStep(walking, range, question))
    if (!('gone' in gathered)) return gathered
    pass(one, progress, gathered.gone)
    return null
  }

  async function judge(one: Owned, gathered: Gathered): Promise<void> {
    const progress = await begin(one)
    const done = await reaching(gathered.passed, () => judgeStep(walking, gathered, { mayHide: confirmMs[log.kind] > 0 }))
    if ('gone' in done) return pass(one, progress, done.gone)
    one.changed = true
    one.lastMs = done.lastMs ?? one.lastMs
    const found = done.missing === null ? [] : [{ ...done.missing, sinceMs: clock() }]
    one.progress = { ...progress, next: done.next, open: joined([...progress.open, ...found]) }
  }

  /** Rechecks the oldest range with missing items. If items of the range are still missing, the range moves to the end of the list. */
  async function again(one: Owned): Promise<void> {
    const progress = await begin(one)
    const [range, ...others] = progress.open
    if (range === undefined) return
    const still: OpenRange[] = []
    const gone: [from: number, until: number][] = []
    let { deadLettered } = range
    const mayHide = !isConfirmed(range)
    for (let from = range.first; from <= range.last; ) {
      const { topic, partition } = one
      const rest = { topic, partition, from, until: range.last + 1 }
      const look = { deadLetteredBefore: deadLettered, mayHide }
      const done = await reaching(rest, () => walkStep(walking, rest, look))
      if ('gone' in done) {
        gone.push([from, done.gone])
        from = done.gone
        continue
      }
      if (done.missing !== null) still.push({ ...done.missing, sinceMs: range.sinceMs })
      from = done.next
      if (deadLettered !== undefined) deadLettered = Math.max(0, deadLettered - done.deadLettered)
    }
    const lost = lostOf(range, gone, still)
    if (lost !== null) onLost(one, lost)
    const left = still.reduce((sum, { spans }) => sum + spans, 0)
    if (left !== range.spans || still.length !== 1) one.changed = true
    one.progress = { ...progress, open: [...others, ...still] }
  }

  async function save(current: readonly Owned[]): Promise<void> {
    const changed = current.filter(one => one.changed && one.progress !== null)
    for (const one of changed) one.changed = false
    await store.save(changed.map(({ progress }) => progress!))
  }

  return {
    own(partitions) {
      owned = partitions.map(({ topic, partition }) => ({ topic, partition, progress: null, changed: false, until: -1, lastMs: null }))
    },

    async round() {
      const current = owned
      const isOver = () => stopping.signal.aborted || owned !== current
      if (current.length === 0) return false
      const ends = await targets.of(current)
      // Rows that the replica has not received yet must not count as missing.
      await catchUp(columnStore, auditedTables)
      for (const one of current) one.until = ends.get(one) ?? one.until
      const known = current.filter(({ until }) => until >= 0)
      const failures = new Map<Owned, unknown>()
      async function attempt(one: Owned, work: () => Promise<void>): Promise<void> {
        if (isOver() || failures.has(one)) return
        await work().catch((error: unknown) => void failures.set(one, error))
      }
      async function forward(): Promise<boolean> {
        const question = createQuestion(walking)
        const steps = new Map<Owned, Gathered>()
        let any = false
        async function settle(): Promise<void> {
          await question.ask()
          for (const [one, gathered] of steps) await attempt(one, () => judge(one, gathered))
          steps.clear()
        }
        for (const one of known) {
          await attempt(one, async () => {
            const gathered = await gather(one, question)
            any ||= one.progress!.next < one.until
            if (gathered !== null) steps.set(one, gathered)
          })
          if (question.size >= itemsPerStep) await settle()
        }
        await settle()
        return any
      }
      for (const one of known) await attempt(one, () => peek(one))
      for (const one of known) await attempt(one, () => again(one))
      let busy = true
      for (let steps = 0; busy && steps < stepsPerRound; steps++) busy = await forward()
      if (owned === current) await save(current)
      for (const error of failures.values()) throw error
      return busy
    },

    status: () =>
      owned.map(({ topic, partition, progress, until, lastMs }) => ({
        topic,
        partition,
        missing: (progress?.open ?? []).filter(isConfirmed),
        lagMs: until < 0 || (progress !== null && progress.next >= until) ? 0 : Math.max(0, clock() - (lastMs ?? clock())),
      })),

    async stop() {
      stopping.abort()
      await reader.stop()
    },
  }
}
