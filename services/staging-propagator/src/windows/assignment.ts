// Assigns each span of a trace to a run item: the item whose root is nearest at or above the span (ADR 0026). The result does not depend on
// the order of spans and items.
import type { TraceItem } from '@svc-server/schema/trace-window'
import type { SpanLink } from '../reading/messages.ts'

export interface Assigned {
  readonly item: TraceItem
  /** The item's observation, or the root of the trace. */
  readonly rootSpanId: string
}

export interface Assignment {
  /** Returns the item of a span; null if the span belongs to no item. */
  of(spanId: string): Assigned | null
}

export interface KnownTrace {
  readonly traceId: string
  /** Id of the OTel span without a parent; undefined if no entity of the trace contains this id. */
  readonly rootSpanId: string | undefined
  readonly items: readonly TraceItem[]
  /** In the order of their records; a later link of a span replaces its earlier link. */
  readonly links: readonly SpanLink[]
}

const virtualRootOf = (traceId: string): string => `t-${traceId}`

export function assignmentOf({ traceId, rootSpanId, items, links }: KnownTrace): Assignment {
  const virtualRoot = virtualRootOf(traceId)
  const root = rootSpanId ?? rootOf(links) ?? virtualRoot
  const byRoot = new Map<string | null, TraceItem>()
  for (const item of items) {
    const known = byRoot.get(item.rootId)
    if (known === undefined || isEarlier(item, known)) byRoot.set(item.rootId, item)
  }
  const parents = new Map<string, string>()
  for (const { id, parentId } of links) parents.set(id, parentId === virtualRoot ? root : parentId)
  const item = byRoot.get(null)
  /** The item of the whole trace gets the spans that are below no other item's root. */
  const ofTrace = item === undefined ? null : { item, rootSpanId: root }
  const found = new Map<string, Assigned | null>([['', ofTrace]])

  return {
    of(spanId) {
      const path: string[] = []
      let assigned: Assigned | null = ofTrace
      for (let id: string | undefined = spanId; id !== undefined; id = parents.get(id)) {
        const known = found.get(id)
        if (known !== undefined) {
          assigned = known
          break
        }
        const item = byRoot.get(id)
        if (item !== undefined) {
          assigned = { item, rootSpanId: id }
          found.set(id, assigned)
          break
        }
        path.push(id)
        // If the ancestors form a cycle, the search ends at this entry.
        found.set(id, ofTrace)
      }
      for (const id of path) found.set(id, assigned)
      return assigned
    },
  }
}

/** The older item wins, so that a later item does not change stored rows. */
const isEarlier = (a: TraceItem, b: TraceItem): boolean => (a.createdAtMs === b.createdAtMs ? a.id < b.id : a.createdAtMs < b.createdAtMs)

/**
 * Returns the id of the root. A span without a parent is preferred to a span marked as root, and an earlier span is preferred to a later
 * one. Returns undefined if no root has arrived.
 */
function rootOf(links: readonly SpanLink[]): string | undefined {
  let best: SpanLink | undefined
  for (const link of links) if (link.rank < 2 && (best === undefined || isStronger(link, best))) best = link
  return best?.id
}

function isStronger(a: SpanLink, b: SpanLink): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank
  return a.startUs === b.startUs ? a.id < b.id : a.startUs < b.startUs
}
