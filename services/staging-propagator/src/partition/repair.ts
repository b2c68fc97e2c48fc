// A repair publishes a window again, with the next generation, because attributes changed after the window's publication. The last commit
// of the repair also updates the `trace.attributes` record of the window. If the repair is interrupted before this commit, the record stays
// unchanged, and the next owner repeats the repair.
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { fillOf } from '@svc-server/observations/trace'
import { encodeLedgerRecord, repairLedgerGroup } from '@svc-server/schema/ledger-record'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { encodeTraceWindow, type TraceWindow, traceWindowKey } from '@svc-server/schema/trace-window'
import { keyText } from '../windows/window.ts'
import type { OwnerDeps } from './deps.ts'
import { filledRecord } from './filled-record.ts'
import { type ItemTrace, type ItemTraces, readItemTraces } from './item-traces.ts'
import type { RecordRunItems } from './run-item-fills.ts'
import { recordsAt } from './staged-records.ts'
import type { PendingTrace } from './trace-links.ts'

export interface RepairDeps extends Pick<OwnerDeps, 'log' | 'state' | 'partition' | 'config' | 'metrics' | 'readLinks' | 'isDeleted'> {
  /**
   * Maximum number of staged records in a round of repairs. The round can exceed this maximum only by its last window, or by its last trace
   * if this trace has run items. New windows wait until the round ends, so the round must be short.
   */
  readonly maxRecords: number
  readonly signal: AbortSignal
}

export interface RepairProgress {
  readonly repairs: number
  readonly withdrawals: readonly NewRecord[]
  readonly commit: (appends: ReadonlyMap<string, readonly NewRecord[]>) => Promise<number>
}

export interface RepairOutcome {
  readonly committed: boolean
  readonly readBytes: number
}

interface WindowRepair {
  readonly traceKey: Buffer
  readonly window: TraceWindow
  readonly fill: TraceAttributes
  readonly hash: string
  readonly assignedAt: number | null
  /**
   * Offsets of the window's staged records that the repair publishes again. The list is empty if the repair publishes no staged records,
   * and writes only the window's own record to `trace.attributes`.
   */
  readonly offsets: readonly number[]
  /** Null if the trace has no run items. */
  readonly runItemsAt: ItemTrace['runItemsAt'] | null
  left: number
}

const noRunItems: RecordRunItems = { fills: null, gone: 0 }

// Maximum traces of one round.
const tracesPerRound = 2_000
const mostPerRound = 200_000

export async function publishRepairs(deps: RepairDeps, progress: RepairProgress): Promise<RepairOutcome> {
  const { partition, config, metrics, signal } = deps
  const { withdrawals } = progress
  const pending = pendingRepairs(deps, Math.min(deps.maxRecords, mostPerRound))
  const itemTraces = await readItemTraces(deps, pending.traces)
  const repairs = [...pending.repairs, ...pending.traces.flatMap(trace => repairsOf(trace, itemTraces))]
  if (repairs.length === 0 && withdrawals.length === 0) return { committed: false, readBytes: itemTraces.readBytes }
  const wanted = new Map<number, WindowRepair>()
  for (const repair of repairs) for (const offset of repair.offsets) wanted.set(offset, repair)
  const offsets = [...wanted.keys()].sort((a, b) => a - b)

  let { readBytes } = itemTraces
  let done = progress.repairs
  let batch = emptyBatch()

  const flush = async (): Promise<void> => {
    if (batch.filled.length === 0 && batch.windows.length === 0) return
    const number = done + 1
    const ledger = encodeLedgerRecord({
      group: repairLedgerGroup,
      topic: topicNames.staging,
      partition,
      first: number,
      last: number,
      records: batch.filled.length,
      spans: batch.spans,
      rows: batch.spans,
      deadLettered: 0,
      denied: 0,
      versions: {},
    })
    done = await progress.commit(
      new Map([
        [topicNames.filled, batch.filled],
        [topicNames.traceAttributes, batch.windows],
        [topicNames.ledger, [{ key: Buffer.from(`${deps.log.logId(topicNames.staging)}/${partition}/repairs`), value: ledger }]],
      ]),
    )
    metrics.republishedSpans.inc(batch.spans)
    batch = emptyBatch()
  }
  const finish = ({ window, hash, assignedAt, traceKey }: WindowRepair): void => {
    const record = encodeTraceWindow({ ...window, generation: window.generation + 1, fill: hash, assignedAt })
    batch.windows.push({ key: traceWindowKey(traceKey, window.firstOffset), value: record, partition })
    batch.bytes += record.byteLength
  }
  for (const record of withdrawals) {
    batch.windows.push(record)
    batch.bytes += record.key!.byteLength
    if (batch.bytes >= config.publishBytes) await flush()
  }
  // First finishes the repairs that publish no spans. A repair publishes no spans if the trace exceeds a limit or if the rows would not
  // change.
  for (const repair of repairs) {
    if (repair.left > 0) continue
    finish(repair)
    if (batch.bytes >= config.publishBytes) await flush()
  }

  for await (const { offset, record } of recordsAt(deps, offsets)) {
    const repair = wanted.get(offset)!
    const runItems = record === null || repair.runItemsAt === null ? noRunItems : await repair.runItemsAt(offset)
    // The first condition is true if the record has expired. The second condition is true if a run item of the record's spans has expired,
    // and the spans were already assigned to run items. A new publication of these spans would remove the run item from their rows.
    if (record === null || (runItems.gone > 0 && repair.window.assignedAt !== null)) metrics.lostRepairs.inc()
    else {
      if (runItems.gone > 0) metrics.runItemCuts.inc({ what: 'gone' }, runItems.gone)
      const fillIn = { fill: repair.fill, runItems: runItems.fills }
      const { record: out, spans } = filledRecord(record, fillIn, repair.window.generation + 1)
      batch.filled.push(out)
      batch.spans += spans
      batch.bytes += out.value!.byteLength
      readBytes += out.value!.byteLength
    }
    repair.left--
    if (repair.left === 0) finish(repair)
    if (batch.bytes >= config.publishBytes) await flush()
    if (signal.aborted) break
  }
  await flush()
  return { committed: done > progress.repairs, readBytes }
}

interface RepairBatch {
  readonly filled: NewRecord[]
  readonly windows: NewRecord[]
  spans: number
  bytes: number
}

const emptyBatch = (): RepairBatch => ({ filled: [], windows: [], spans: 0, bytes: 0 })

interface Pending {
  readonly repairs: WindowRepair[]
  /** Traces with run items. The round must read all records of these traces before it can choose windows. */
  readonly traces: PendingTrace[]
}

function pendingRepairs(
  { state, partition, isDeleted }: Pick<RepairDeps, 'state' | 'partition' | 'isDeleted'>,
  maxRecords: number,
): Pending {
  const repairs: WindowRepair[] = []
  const traces: PendingTrace[] = []
  const found = { repairs, traces }
  let records = 0
  for (const traceKey of state.pending(partition, tracesPerRound)) {
    // The propagator will soon remove the deleted trace from the state. A repair would write a new record, which would add the trace to the
    // state again.
    if (isDeleted(traceKey)) continue
    const windows = state.windows(partition, traceKey)
    const newest = windows.at(-1)
    if (newest === undefined) continue
    if (newest.items.length > 0) {
      traces.push({ traceKey, windows })
      // Each item counts once. Each record with spans counts twice, because the round reads the record and can then publish it.
      records += newest.items.length + 2 * windows.reduce((sum, { offsets }) => sum + offsets.length, 0)
      if (records >= maxRecords) return found
      continue
    }
    const fill = fillOf(newest.candidates)
    for (const window of windows) {
      if (window.fill === newest.fill) continue
      const { offsets } = window
      repairs.push({ traceKey, window, fill, hash: newest.fill, assignedAt: null, offsets, runItemsAt: null, left: offsets.length })
      records += offsets.length
      if (records >= maxRecords) return found
    }
  }
  return found
}

function repairsOf({ traceKey, windows }: PendingTrace, { traces }: ItemTraces): WindowRepair[] {
  const trace = traces.get(keyText(traceKey))
  if (trace === undefined) return []
  const { fill, hash, assignedAt, runItemsAt } = trace
  return windows
    .filter(window => window.fill !== hash)
    .map(window => {
      const offsets = trace.changes(window) ? window.offsets : []
      return { traceKey, window, fill, hash, assignedAt, offsets, runItemsAt, left: offsets.length }
    })
}
