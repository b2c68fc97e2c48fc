// Computes the run item of each span as ADR 0026 defines it, without the propagator's code. The model knows all spans and items of a trace
// from the start.
import type { Random } from '@svc-server/testkit'
import { type FilledSpan, newestSpans } from './published.ts'
import { expectedOutputOf, type StagedItem, type StagedRecord, type StagedSpan, startMs, traceKeyOf } from './staged.ts'

/** Makes run items for whole traces, for spans, and for spans that never arrive. Some items are sent twice. */
export function randomItems(random: Random, records: readonly StagedRecord[]): StagedItem[] {
  const [first] = records
  if (first === undefined || random.next() < 0.6) return []
  const { projectId, traceId } = first
  const spans = records.flatMap(record => record.spans)
  const count = random.integer(1, 4)
  const items = Array.from({ length: count }, (_, index): StagedItem => {
    const rootId = random.pick([null, random.pick(spans).spanId, random.pick(spans).spanId, 'nowhere'])
    return { projectId, traceId, id: `${spans[0]!.spanId}-${index}`, rootId, createdAtMs: startMs + random.integer(0, 2) }
  })
  return random.next() < 0.3 ? [...items, random.pick(items)] : items
}

const first = <T>(all: readonly T[], ranks: (one: T) => readonly (number | string)[]): T | undefined =>
  [...all].sort((a, b) => {
    const [left, right] = [ranks(a), ranks(b)]
    for (const [at, rank] of left.entries()) if (rank !== right[at]) return rank < right[at]! ? -1 : 1
    return 0
  })[0]

const isMarked = ({ says = {} }: StagedSpan): boolean => says['svc.internal.is_app_root'] === true

const textOf = (itemId: string, rootSpanId: string, contents: string | null): string => `${itemId} below ${rootSpanId}, ${contents}`

function expectedOf(spans: readonly StagedSpan[], items: readonly StagedItem[]): (spanId: string) => string {
  const byId = new Map(spans.map(span => [span.spanId, span]))
  const parentless = first(
    spans.filter(({ root }) => root),
    ({ startUs, spanId }) => [startUs, spanId],
  )
  const marked = first(spans.filter(isMarked), ({ startUs, spanId }) => [startUs, spanId])
  const itemAt = (rootId: string | null) =>
    first(
      items.filter(item => item.rootId === rootId),
      ({ createdAtMs, id }) => [createdAtMs, id],
    )
  return spanId => {
    const seen = new Set<string>()
    let id: string | undefined = spanId
    while (id !== undefined && !seen.has(id)) {
      seen.add(id)
      const item = itemAt(id)
      if (item !== undefined) return textOf(`item of ${item.id}`, id, id === spanId ? expectedOutputOf(item) : null)
      const span = byId.get(id)
      id = span === undefined || span.root ? undefined : span.parentId
    }
    const item = itemAt(null)
    if (item === undefined) return 'none'
    const root = parentless?.spanId ?? marked?.spanId ?? `t-${item.traceId}`
    return textOf(`item of ${item.id}`, root, spanId === root ? expectedOutputOf(item) : null)
  }
}

const foundOf = ({ item }: FilledSpan): string => (item === null ? 'none' : textOf(item.itemId, item.rootSpanId, item.expectedOutput))

/**
 * True if the only difference between the two texts is that the found text also has the contents of the item. This is allowed, because
 * the propagator writes an item's contents once per record. If a record contains the root of an item and other spans, the other spans
 * therefore get the contents, too.
 */
const isOnlyOfRecord = (expected: string, found: string): boolean => expected.endsWith(', null') && found.startsWith(expected.slice(0, -4))

/** Returns one sentence for each span that has the wrong item. */
export function itemProblems(records: readonly StagedRecord[], items: readonly StagedItem[], published: readonly FilledSpan[]): string[] {
  const spansByTrace = Map.groupBy(records, traceKeyOf)
  const itemsByTrace = Map.groupBy(items, traceKeyOf)
  const expected = new Map(
    [...spansByTrace].map(([key, ofTrace]) => {
      const spans = ofTrace.flatMap(record => record.spans)
      return [key, expectedOf(spans, itemsByTrace.get(key) ?? [])] as const
    }),
  )
  return [...newestSpans(published).values()].flatMap(span => {
    const place = span.id.slice(0, span.id.indexOf('@'))
    const at = place.lastIndexOf('/')
    const wanted = expected.get(place.slice(0, at))!(place.slice(at + 1))
    const found = foundOf(span)
    return wanted === found || isOnlyOfRecord(wanted, found) ? [] : [`${span.id}: ${found}, not ${wanted}`]
  })
}
