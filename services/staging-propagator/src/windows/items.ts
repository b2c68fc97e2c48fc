// Joins lists of run items of one trace. The run items of a trace can arrive in different windows.
import { hash } from 'node:crypto'
import type { TraceItem } from '@svc-server/schema/trace-window'

/**
 * Maximum items of a trace. If there are more, the items with the smallest ids are used. The number is limited, because every window's
 * record contains all items of the trace and is kept for two days.
 */
export const maxTraceItems = 1000

export const noItems: readonly TraceItem[] = Object.freeze([])

/** The inputs and the result are ascending by id. Returns `a` itself if `b` adds nothing to it. */
export function joinItems(a: readonly TraceItem[], b: readonly TraceItem[]): readonly TraceItem[] {
  if (b.length === 0) return a
  if (a.length === 0) return b
  const joined: TraceItem[] = []
  let isNew = false
  for (let i = 0, j = 0; (i < a.length || j < b.length) && joined.length < maxTraceItems; ) {
    const one = a[i]
    const other = b[j]
    const isOther = one === undefined || (other !== undefined && (other.id < one.id || (other.id === one.id && other.offset > one.offset)))
    joined.push(isOther ? other! : one)
    if (isOther) isNew = true
    if (one !== undefined && (!isOther || other!.id === one.id)) i++
    if (other !== undefined && (isOther || other.id === one!.id)) j++
  }
  return isNew ? joined : a
}

/**
 * Returns a hash of the added attributes (`fill`) and of `knownUntil`. `knownUntil` identifies the newest window that the trace had when
 * its run items were assigned: it is the first offset of this window.
 */
export const assignedHash = (fill: string, knownUntil: number): string => hash('sha256', `${fill} ${knownUntil}`).slice(0, 16)
