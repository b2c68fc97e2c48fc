// Turns consecutive changelog records into operations on a partition's table. The operations depend only on the table and the records. If
// the state is lost, a rebuild therefore gives an equal state.

import type { Operation } from '@svc-server/owner/store'
import { createYields } from '@svc-server/owner/yields'
import { projectOfTraceKey } from '@svc-server/schema/trace-key'
import { unassigned } from '@svc-server/schema/trace-window'
import { type Entry, encodeCount, encodeEntries, encodeStoredWindow, idOf, keys, markOf, type Numbers } from './layout.ts'
import type { Table } from './table.ts'

export interface Change {
  readonly traceKey: Buffer
  readonly firstOffset: number
  /** Offset of the change in the changelog. */
  readonly place: number
  /** Null for a tombstone. */
  readonly window: { readonly endMs: number; readonly mark: string; readonly record: Uint8Array } | null
}

export interface Folded {
  /** True if all earlier windows have expired. The table must then be emptied before the operations are applied. */
  readonly clear: boolean
  readonly operations: readonly Operation[]
  readonly numbers: Numbers
  /** True if expired windows remain for a later transaction. */
  readonly more: boolean
}

interface TouchedTrace {
  readonly id: Buffer
  readonly traceKey: Buffer
  readonly before: readonly Entry[]
  readonly entries: Entry[]
}

/** Returns the expiry limit. The state no longer keeps windows that ended before this time. */
export const horizonOf = (newestEndMs: number, retentionMs: number): number => Math.max(0, newestEndMs - retentionMs)

/**
 * Applies the changes, and removes expired windows. A window has expired if it ended more than `retentionMs` before the end of the newest
 * window. One call removes at most `maxExpired` windows.
 */
export async function fold(
  table: Table,
  numbers: Numbers,
  changes: readonly Change[],
  { retentionMs, maxExpired }: { readonly retentionMs: number; readonly maxExpired: number },
): Promise<Folded> {
  const newestEndMs = changes.reduce((newest, { window }) => Math.max(newest, window?.endMs ?? 0), numbers.newestEndMs)
  const horizon = horizonOf(newestEndMs, retentionMs)
  // Emptying the table takes almost no time. If the windows of a long idle time were removed one by one, the removal would take minutes.
  const clear = numbers.windows > 0 && numbers.newestEndMs < horizon
  const operations: Operation[] = []
  const touched = new Map<string, TouchedTrace>()
  const rest = createYields()

  function touch(traceKey: Buffer): TouchedTrace {
    const id = idOf(traceKey)
    const text = id.toString('latin1')
    let trace = touched.get(text)
    if (trace === undefined) {
      const before = clear ? [] : table.entries(id)
      trace = { id, traceKey, before, entries: [...before] }
      touched.set(text, trace)
    }
    return trace
  }

  for (const { traceKey, firstOffset, place, window } of changes) {
    if (rest.isDue()) await rest.take()
    const { entries } = touch(traceKey)
    const index = entries.findLastIndex(entry => entry.firstOffset <= firstOffset)
    const known = entries[index]?.firstOffset === firstOffset ? entries[index] : undefined
    const isLive = window !== null && window.endMs >= horizon
    const entry = isLive
      ? { firstOffset, endMs: window.endMs, place: known?.endMs === window.endMs ? known.place : place, mark: window.mark }
      : undefined
    if (known !== undefined && known.place !== entry?.place) operations.push({ key: keys.window(known) })
    if (isLive) operations.push({ key: keys.window(entry!), value: encodeStoredWindow(traceKey, window.record) })
    if (known !== undefined && entry !== undefined) entries[index] = entry
    else if (known !== undefined) entries.splice(index, 1)
    else if (entry !== undefined) entries.splice(index + 1, 0, entry)
  }

  const expired = clear ? [] : table.windowsBefore(horizon, maxExpired)
  for (const { endMs, place, traceKey } of expired) {
    if (rest.isDue()) await rest.take()
    const { entries } = touch(traceKey)
    const index = entries.findIndex(entry => entry.endMs === endMs && entry.place === place)
    // An earlier change of this transaction may have removed the window.
    if (index >= 0) operations.push({ key: keys.window(entries.splice(index, 1)[0]!) })
  }

  let { traces, windows, pending } = clear ? { traces: 0, windows: 0, pending: 0 } : numbers
  const projects = new Map<string, number>()
  for (const { id, traceKey, before, entries } of touched.values()) {
    if (rest.isDue()) await rest.take()
    const lives = Number(entries.length > 0) - Number(before.length > 0)
    const waits = Number(isPending(entries)) - Number(isPending(before))
    windows += entries.length - before.length
    traces += lives
    pending += waits
    if (lives !== 0) {
      const projectId = projectOfTraceKey(traceKey)
      projects.set(projectId, (projects.get(projectId) ?? 0) + lives)
    }
    if (entries.length > 0) operations.push({ key: keys.trace(id), value: encodeEntries(entries) })
    else if (before.length > 0) operations.push({ key: keys.trace(id) })
    if (waits > 0) operations.push({ key: keys.pending(id), value: traceKey })
    else if (waits < 0) operations.push({ key: keys.pending(id) })
  }
  for (const [projectId, delta] of projects) {
    const key = keys.project(projectId)
    const count = (clear ? 0 : table.projectTraces(projectId)) + delta
    operations.push(count > 0 ? { key, value: encodeCount(count) } : { key })
  }

  return {
    clear,
    operations,
    numbers: { ...numbers, newestEndMs, traces, windows, pending },
    more: expired.length === maxExpired,
  }
}

const unassignedMark = markOf(unassigned)

/**
 * A trace needs a repair in two cases: an older window of the trace was published with other attributes than the newest window, or the run
 * items of the trace are not assigned yet.
 */
function isPending(entries: readonly Entry[]): boolean {
  const newest = entries.at(-1)?.mark
  return newest === unassignedMark || entries.some(({ mark }) => mark !== newest)
}
