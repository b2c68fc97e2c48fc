// A repair is a publication: windows whose spans went out with other attributes than their trace has by now
// are read again from the staging topic and published with the next generation. The window's record goes with
// its last span, so a repair that a crash cut off is found, and done, again.
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { fillOf } from '@svc-server/observations/trace'
import { encodeLedgerRecord, repairLedgerGroup } from '@svc-server/schema/ledger-record'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { encodeTraceWindow, type TraceWindow, traceWindowKey } from '@svc-server/schema/trace-window'
import type { TraceState } from '../state/index.ts'
import type { OwnerDeps } from './deps.ts'
import { filledRecord } from './filled-record.ts'
import { recordsAt } from './staged-records.ts'

export interface RepairDeps extends Pick<OwnerDeps, 'log' | 'state' | 'partition' | 'config' | 'metrics'> {
  /** Staged records of one round, a window more at most: windows wait for as long as it takes. */
  readonly maxRecords: number
  readonly signal: AbortSignal
}

export interface RepairProgress {
  /** Repair commits so far. */
  readonly repairs: number
  /** Commits the records with one repair more; answers how many there are then. */
  readonly commit: (appends: ReadonlyMap<string, readonly NewRecord[]>) => Promise<number>
}

export interface RepairOutcome {
  /** True when something was committed: the state is behind then. */
  readonly committed: boolean
  readonly readBytes: number
}

interface WindowRepair {
  readonly traceKey: Buffer
  readonly window: TraceWindow
  readonly fill: TraceAttributes
  readonly hash: string
  /** Records that are still to be published. */
  left: number
}

// One round holds this much in memory, and reads its part of the topic once.
const tracesPerRound = 2_000
const mostPerRound = 200_000

export async function publishRepairs(deps: RepairDeps, progress: RepairProgress): Promise<RepairOutcome> {
  const { state, partition, config, metrics, signal } = deps
  const repairs = pendingRepairs(state, partition, Math.min(deps.maxRecords, mostPerRound))
  if (repairs.length === 0) return { committed: false, readBytes: 0 }
  const wanted = new Map<number, WindowRepair>()
  for (const repair of repairs) for (const offset of repair.window.offsets) wanted.set(offset, repair)
  const offsets = [...wanted.keys()].sort((a, b) => a - b)

  let readBytes = 0
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
  const finish = ({ window, hash, traceKey }: WindowRepair): void => {
    const record = encodeTraceWindow({ ...window, generation: window.generation + 1, fill: hash })
    batch.windows.push({ key: traceWindowKey(traceKey, window.firstOffset), value: record, partition })
  }
  // Of a trace beyond its limit: it said something, and has no spans that are filled.
  for (const repair of repairs) if (repair.left === 0) finish(repair)

  for await (const { offset, record } of recordsAt(deps, offsets)) {
    const repair = wanted.get(offset)!
    if (record === null) metrics.lostRepairs.inc()
    else {
      const { record: out, spans } = filledRecord(record, repair.fill, repair.window.generation + 1)
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

function pendingRepairs(state: TraceState, partition: number, maxRecords: number): WindowRepair[] {
  const repairs: WindowRepair[] = []
  let records = 0
  for (const traceKey of state.pending(partition, tracesPerRound)) {
    const windows = state.windows(partition, traceKey)
    const newest = windows.at(-1)
    if (newest === undefined) continue
    const fill = fillOf(newest.candidates)
    for (const window of windows) {
      if (window.fill === newest.fill) continue
      repairs.push({ traceKey, window, fill, hash: newest.fill, left: window.offsets.length })
      records += window.offsets.length
      if (records >= maxRecords) return repairs
    }
  }
  return repairs
}
