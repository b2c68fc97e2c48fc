// The run items of a trace, joined over its windows like candidates: the later value counts.
import { hash } from 'node:crypto'
import type { TraceItem } from '@svc-server/schema/trace-window'

/** Of a trace, the first by their ids: each of its windows carries them for two days. */
export const maxTraceItems = 1000

export const noItems: readonly TraceItem[] = Object.freeze([])

/** Both ascending by id, and so is the result; `a` itself where `b` says nothing new. */
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

/** Of spans that were assigned to run items, by what was known up to the window that begins here. */
export const assignedHash = (fill: string, knownUntil: number): string => hash('sha256', `${fill} ${knownUntil}`).slice(0, 16)
