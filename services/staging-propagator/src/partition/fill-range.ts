// Builds the records of one range of a closed window: the filled records, and one `trace.attributes` record for each trace that begins in
// this range.
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { LogRecord, NewRecord } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { spansOfRecord } from '@svc-server/schema/envelope'
import { projectOfTraceKey } from '@svc-server/schema/trace-key'
import type { Rejection } from '@svc-server/stream/chunk'
import type { Tally } from '@svc-server/stream/dead-letter-limit'
import type { ExitReason } from '../windows/decisions.ts'
import { keyText } from '../windows/window.ts'
import { type Arena, asBuffer, createArena, filledRecord } from './filled-record.ts'
import type { ClosedWindow } from './machine.ts'

const recordsBetweenYields = 250
/** The added attributes usually lengthen a record by this number of bytes. */
const fillBytes = 384

export interface FilledRange {
  readonly filled: readonly NewRecord[]
  readonly attributes: readonly NewRecord[]
  readonly rejected: readonly Rejection[]
  /** The exit reason of each trace whose first record is in this range, for the metric `svc_propagator_window_exit_total`. */
  readonly exits: readonly ExitReason[]
  readonly tally: Tally
  readonly records: number
  readonly spans: number
  readonly rows: number
  readonly deadLettered: number
  readonly unfilled: number
  readonly late: number
  readonly modes: ReadonlyMap<WriteMode | null, number>
}

/** Returns `arena` if the filled values fit into it. Otherwise returns a new arena. */
export function arenaFor(records: readonly LogRecord[], arena: Arena | null): Arena {
  const needed = records.reduce((sum, { value }) => sum + (value?.byteLength ?? 0) + fillBytes, 0)
  return arena !== null && arena.bytes >= needed ? arena : createArena(needed)
}

/** The record that reaches `maxBytes` is the last record of the range. */
export async function fillRange(
  { window, decisions }: ClosedWindow,
  records: readonly LogRecord[],
  arena: Arena,
  maxBytes: number,
): Promise<FilledRange> {
  const filled: NewRecord[] = []
  const attributes: NewRecord[] = []
  const rejected: Rejection[] = []
  const exits: ExitReason[] = []
  const owners = new Set<string>()
  /** For each rejected record: its number of spans. The key is the record's offset. */
  const rejectedSpans = new Map<number, number>()
  const sums = { records: 0, spans: 0, rows: 0, deadLettered: 0, unfilled: 0, late: 0 }
  const modes = new Map<WriteMode | null, number>()
  let bytes = 0
  for (const [index, record] of records.entries()) {
    if (bytes >= maxBytes) break
    if (index % recordsBetweenYields === recordsBetweenYields - 1) await yieldTurn()
    sums.records++
    const bad = window.bad.get(record.offset)
    if (bad !== undefined) {
      const raw = record.value ?? new Uint8Array(0)
      const { reason, message, projectId: owner } = bad
      rejected.push({ offset: record.offset, index: null, stage: 'propagator', reason, message, owner, raw })
      const spans = spansOfRecord(raw)
      rejectedSpans.set(record.offset, spans)
      sums.deadLettered += spans
      sums.spans += spans
      continue
    }
    const key = asBuffer(record.key)
    if (key !== null) owners.add(projectOfTraceKey(key))
    const trace = key === null ? undefined : window.traces.get(keyText(key))
    const decision = trace && decisions.of(trace)
    const isFilled = decision !== undefined && record.offset <= decision.filledUntil
    if (!window.items.has(record.offset)) {
      const { record: out, spans, writeMode } = filledRecord(record, { fill: isFilled ? decision.fill : null }, 0, arena)
      filled.push(out)
      modes.set(writeMode, (modes.get(writeMode) ?? 0) + 1)
      bytes += out.value!.byteLength
      sums.spans += spans
      sums.rows += spans
      if (!isFilled) sums.unfilled += spans
      if (decision?.late) sums.late += spans
    }
    // This block runs once per trace and window, at the trace's first record.
    if (decision !== undefined && trace!.first === record.offset) {
      if (decision.exit !== null) exits.push(decision.exit)
      if (decision.record !== null) {
        attributes.push(decision.record)
        bytes += decision.record.value!.byteLength
      }
    }
  }
  const tally: Tally = { items: sums.spans, owners, rejected, itemsOf: ({ offset }) => rejectedSpans.get(offset)! }
  return { ...sums, filled, attributes, rejected, exits, modes, tally }
}
