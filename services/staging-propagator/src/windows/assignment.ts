// Assigns each span of a trace to a run item (ADR 0026). If the span is the root of an item, the span belongs to this item. Otherwise, the
// span belongs to the same item as its nearest ancestor that is the root of an item. The result does not depend on the order of spans and
// items.
import type { TraceItem } from '@svc-server/schema/trace-window'
import type { SpanLink } from '../reading/messages.ts'

export interface Assigned {
  readonly item: TraceItem
  /** The id of the item's observation. If the item belongs to a whole trace, this is the id of the trace's root. */
  readonly rootSpanId: string
}

export interface Assignment {
  /** Returns the item of a span; null if the span belongs to no item. */
  of(spanId: string): Assigned | null
}

export interface KnownTrace {
  readonly traceId: string
  /** Id of the trace's OTel span without a parent, as an entity of the trace states it. Undefined if no entity of the trace states it. */
  readonly rootSpanId: string | undefined
  readonly items: readonly TraceItem[]
  /** The links are in the order of their records. A later link of a span replaces an earlier link of this span. */
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
  /** The item that belongs to the whole trace, or null. A span gets this item if neither the span nor an ancestor is an item's root. */
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
        // If the ancestors form a cycle, this entry ends the search when the search reaches the span `id` again.
        found.set(id, ofTrace)
      }
      for (const id of path) found.set(id, assigned)
      return assigned
    },
  }
}

/** If two items have the same root, the older item wins. A later item therefore does not change stored rows. */
const isEarlier = (a: TraceItem, b: TraceItem): boolean => (a.createdAtMs === b.createdAtMs ? a.id < b.id : a.createdAtMs < b.createdAtMs)

/**
 * Returns the id of the root. A span without a parent wins over a span marked as root. Among spans of the same kind, an earlier span wins
 * over a later span. Returns undefined if no root has arrived.
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
