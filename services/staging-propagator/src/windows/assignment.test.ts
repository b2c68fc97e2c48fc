import type { TraceItem } from '@svc-server/schema/trace-window'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SpanLink } from '../reading/messages.ts'
import { assignmentOf, type KnownTrace } from './assignment.ts'
import { joinItems, maxTraceItems, noItems } from './items.ts'

const traceId = 'trace'
const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const someId = fc.constantFrom(...ids)
const links: fc.Arbitrary<SpanLink[]> = fc
  .subarray(ids)
  .chain(some =>
    fc.tuple(
      ...some.map((id, index) =>
        fc
          .record({ parentId: fc.option(fc.oneof(someId, fc.constant('unknown')), { nil: '' }), startUs: fc.nat({ max: 2 }) })
          .map(({ parentId, startUs }) => ({ index, id, parentId, rank: parentId === '' ? 0 : 2, startUs })),
      ),
    ),
  )
const items: fc.Arbitrary<TraceItem[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('1', '2', '3', '4'),
    rootId: fc.option(fc.oneof(someId, fc.constant('unknown'))),
    createdAtMs: fc.nat({ max: 1 }),
    offset: fc.nat({ max: 9 }),
  }),
  { selector: ({ id }) => id },
)

const said = (known: Pick<KnownTrace, 'links' | 'items'>): readonly unknown[] => {
  const assignment = assignmentOf({ traceId, rootSpanId: undefined, ...known })
  return ids.map(id => assignment.of(id))
}

function nearest({ links: all, items: of }: Pick<KnownTrace, 'links' | 'items'>, spanId: string): string | null {
  const at = (rootId: string | null) =>
    of.filter(item => item.rootId === rootId).sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))[0]?.id
  let id = spanId
  for (let steps = 0; steps <= ids.length + 1; steps++) {
    const item = at(id)
    if (item !== undefined) return item
    id = all.findLast(link => link.id === id)?.parentId ?? ''
    if (id === '') break
  }
  return at(null) ?? null
}

test('a span belongs to the item with the nearest root at or above it, else to the item of the trace', () => {
  fc.assert(
    fc.property(links, items, (all, of) => {
      const assignment = assignmentOf({ traceId, rootSpanId: undefined, links: all, items: of })
      for (const id of ids) expect(assignment.of(id)?.item.id ?? null).toBe(nearest({ links: all, items: of }, id))
    }),
  )
})

test('the order of spans and items, and the order of calls, do not change the result', () => {
  fc.assert(
    fc.property(links, items, fc.infiniteStream(fc.nat()), (all, of, places) => {
      const shuffled = <T>(list: readonly T[]) => list.map(one => [places.next().value!, one] as const).sort(([a], [b]) => a - b)
      const known = { links: shuffled(all).map(([, one]) => one), items: shuffled(of).map(([, one]) => one) }
      expect(said(known)).toEqual(said({ links: all, items: of }))
      const assignment = assignmentOf({ traceId, rootSpanId: undefined, ...known })
      const backwards = ids.toReversed().map(id => assignment.of(id))
      expect(backwards.toReversed()).toEqual(said({ links: all, items: of }))
    }),
  )
})

test('the root of a trace is its earliest parentless span, else a span marked as root, else the virtual root', () => {
  const item: TraceItem = { id: '1', rootId: null, createdAtMs: 0, offset: 0 }
  const rootOf = (all: readonly SpanLink[], rootSpanId?: string) =>
    assignmentOf({ traceId, rootSpanId, items: [item], links: all }).of('a')?.rootSpanId
  const link = (id: string, rank: number, startUs: number): SpanLink => ({ index: 0, id, parentId: rank === 0 ? '' : 'p', rank, startUs })
  expect(rootOf([])).toBe('t-trace')
  expect(rootOf([link('a', 2, 0)])).toBe('t-trace')
  expect(rootOf([link('a', 2, 0), link('m', 1, 0)])).toBe('m')
  expect(rootOf([link('m', 1, 0), link('z', 0, 2), link('y', 0, 2), link('x', 0, 3)])).toBe('y')
  expect(rootOf([link('z', 0, 2)], 'said')).toBe('said')
})

test('a staged observation without a parent is a child of the trace’s root, whatever that is', () => {
  const item: TraceItem = { id: '1', rootId: 'r', createdAtMs: 0, offset: 0 }
  const all: SpanLink[] = [{ index: 0, id: 'o', parentId: 't-trace', rank: 2, startUs: 0 }]
  const assigned = (rootSpanId?: string) => assignmentOf({ traceId, rootSpanId, items: [item], links: all }).of('o')
  expect([assigned(), assigned('r')?.item.id]).toEqual([null, '1'])
})

const joined = fc.uniqueArray(
  fc.record({ id: fc.constantFrom(...ids), rootId: fc.constant(null), createdAtMs: fc.constant(0), offset: fc.nat({ max: 3 }) }),
  { selector: ({ id }) => id },
)
const sorted = joined.map(list => list.sort((a, b) => (a.id < b.id ? -1 : 1)))

test('joining items in any order, any grouping and any number of times gives the same result', () => {
  fc.assert(
    fc.property(sorted, sorted, sorted, (a, b, c) => {
      expect(joinItems(a, b)).toEqual(joinItems(b, a))
      expect(joinItems(joinItems(a, b), c)).toEqual(joinItems(a, joinItems(b, c)))
      expect(joinItems(a, a)).toBe(a)
      const newest = Map.groupBy([...a, ...b], ({ id }) => id)
      const expected = [...newest].map(([id, some]) => [id, Math.max(...some.map(({ offset }) => offset))]).sort()
      expect(joinItems(a, b).map(({ id, offset }) => [id, offset])).toEqual(expected)
    }),
  )
})

test('if a trace has very many items, the first by id are kept, in any order of arrival', () => {
  const of = (from: number, to: number): TraceItem[] =>
    Array.from({ length: to - from }, (_, index) => ({ id: `${from + index}`.padStart(6, '0'), rootId: null, createdAtMs: 0, offset: 0 }))
  const all = of(0, maxTraceItems)
  const later = of(maxTraceItems, 2 * maxTraceItems)
  expect(joinItems(all, later)).toBe(all)
  expect(joinItems(later, all)).toEqual(all)
  expect(joinItems(noItems, later)).toBe(later)
})
