// Assigns each span of a trace to a run item: the item whose root is nearest at or above the span (ADR 0026). The function has no side
// effects, and its result does not depend on the order of spans and items.
import type { TraceItem } from '@svc-server/schema/trace-window'
import type { SpanLink } from '../reading/messages.ts'

export interface Assigned {
  readonly item: TraceItem
  /** The span at the root of the item: the item's observation, or the root of the trace. */
  readonly rootSpanId: string
}

export interface Assignment {
  /** Returns null if the span belongs to no item. */
  of(spanId: string): Assigned | null
}

export interface KnownTrace {
  readonly traceId: string
  /** The trace's OTel span without a parent, if the entities of the trace name such a span. */
  readonly rootSpanId: string | undefined
  readonly items: readonly TraceItem[]
  /** Parent links, in the order of their records. A later link of a span replaces the earlier link of this span. */
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
  /** The item that refers to the whole trace. Spans that are not below the root of any other item belong to the item of the whole trace. */
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
        // A span whose ancestors form a cycle belongs to the item of the whole trace.
        found.set(id, ofTrace)
      }
      for (const id of path) found.set(id, assigned)
      return assigned
    },
  }
}

/** If two items have the same root, the older one is used, so that a later item does not change stored rows. */
const isEarlier = (a: TraceItem, b: TraceItem): boolean => (a.createdAtMs === b.createdAtMs ? a.id < b.id : a.createdAtMs < b.createdAtMs)

/**
 * Prefers a span without a parent to a span that is marked as root; of several such spans, takes the earliest. Returns undefined if no root
 * has arrived yet.
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
