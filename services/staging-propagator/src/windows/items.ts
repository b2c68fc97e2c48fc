// The run items of a trace, joined over all of its windows like candidates. A later value replaces an earlier one.
import { hash } from 'node:crypto'
import type { TraceItem } from '@svc-server/schema/trace-window'

/**
 * Maximum number of items of a trace. If a trace has more items, the items with the smallest ids are used. The limit is needed because the
 * record of each window contains all items and is kept for two days.
 */
export const maxTraceItems = 1000

export const noItems: readonly TraceItem[] = Object.freeze([])

/** Both inputs and the result are sorted by id, ascending. Returns `a` itself if `b` adds nothing to it. */
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

/** Hash of the added attributes, and of the newest window that was known when run items were assigned to the spans. */
export const assignedHash = (fill: string, knownUntil: number): string => hash('sha256', `${fill} ${knownUntil}`).slice(0, 16)
