import type { SdkUsage } from '@svc-server/schema/sdk-usage'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCounts, type Use } from '../src/counts.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 21, 12)
const use = (more: Partial<Use> = {}): Use => ({ projectId: 'p', sdkName: 'python', sdkVersion: '4.7.0', path: 'direct', ...more })

/** Keeps the newest record of each key. */
function createTable() {
  const rows = new Map<string, SdkUsage>()
  return {
    rows,
    store(records: readonly SdkUsage[]) {
      for (const row of records) rows.set(JSON.stringify([row.projectId, row.day, row.sdkName, row.sdkVersion, row.path, row.source]), row)
    },
    sum: (of: 'requests' | 'spans' | 'events' | 'scores') => [...rows.values()].reduce((sum, row) => sum + row[of], 0),
  }
}

test('`take` returns the current totals of the entries that have changed', () => {
  const counts = createCounts('run', { perProject: 10, inAll: 100 })
  counts.count(use({ spans: 3 }), noon)
  counts.count(use({ path: 'refused' }), noon + 1)
  expect(counts.take()).toEqual([
    { ...use(), day: 20_778, source: 'run', requests: 1, spans: 3, events: 0, scores: 0, lastSeenMs: noon },
    { ...use({ path: 'refused' }), day: 20_778, source: 'run', requests: 1, spans: 0, events: 0, scores: 0, lastSeenMs: noon + 1 },
  ])
  counts.settle()
  expect(counts.take()).toEqual([])
  counts.count(use({ spans: 4 }), noon + 2)
  expect(counts.take()).toMatchObject([{ path: 'direct', requests: 2, spans: 7, lastSeenMs: noon + 2 }])
})

test('truncates names and replaces control characters', () => {
  const counts = createCounts('run', { perProject: 10, inAll: 100 })
  counts.count(use({ sdkName: `\u001b[2J\u009b${'n'.repeat(500)}`, sdkVersion: 'v'.repeat(500) }), noon)
  const [row] = counts.take()
  expect(row).toMatchObject({ sdkName: `?[2J?${'n'.repeat(55)}`, sdkVersion: 'v'.repeat(40) })
})

test('counts versions beyond a project’s limit as `other`, and versions beyond the total limit without a project', () => {
  const counts = createCounts('run', { perProject: 3, inAll: 7 })
  for (let at = 0; at < 50; at++) counts.count(use({ sdkName: `hostile ${at}` }), noon)
  for (const projectId of ['a', 'b', 'c', 'd', 'e']) counts.count(use({ projectId }), noon)
  const rows = counts.take().map(({ projectId, sdkName, requests }) => [projectId, sdkName, requests])
  expect(rows).toEqual([
    ['p', 'hostile 0', 1],
    ['p', 'hostile 1', 1],
    ['p', 'hostile 2', 1],
    ['p', 'other', 47],
    ['a', 'python', 1],
    ['b', 'python', 1],
    ['c', 'python', 1],
    ['', 'other', 2],
  ])
})

const path = fc.constantFrom('direct', 'staged', 'ingestion', 'scores', 'refused')
const anyUse = fc.record({
  projectId: fc.constantFrom('a', 'b', 'c'),
  sdkName: fc.oneof(fc.constantFrom('python', 'javascript'), fc.string()),
  sdkVersion: fc.oneof(fc.constantFrom('1.0.0', '2.0.0'), fc.string({ maxLength: 3 })),
  path,
  spans: fc.nat(9),
  events: fc.nat(9),
  scores: fc.nat(9),
}) as fc.Arbitrary<Use>
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('count' as const), use: anyUse }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('say' as const), fails: fc.boolean(), arrives: fc.boolean(), during: fc.array(anyUse) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('night' as const) }) },
)

test('the table has every request once and at most the allowed rows, despite failures and at any end of a day', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), steps => {
      const limits = { perProject: 4, inAll: 12 }
      const counts = createCounts('run', limits)
      const table = createTable()
      const expected = { requests: 0, spans: 0, events: 0, scores: 0 }
      let nowMs = noon
      const count = (one: Use) => {
        counts.count(one, nowMs)
        expected.requests += 1
        for (const of of ['spans', 'events', 'scores'] as const) expected[of] += one[of] ?? 0
      }
      for (const each of steps) {
        if (each.kind === 'count') count(each.use)
        else if (each.kind === 'night') nowMs += dayMs
        else {
          const taken = counts.take()
          each.during.forEach(count)
          // A failed append can still have put its records on the log.
          if (!each.fails || each.arrives) table.store(taken)
          if (each.fails) counts.giveBack()
          else counts.settle()
        }
      }
      table.store(counts.take())
      for (const of of ['requests', 'spans', 'events', 'scores'] as const) expect(table.sum(of)).toBe(expected[of])
      for (const day of new Set([...table.rows.values()].map(row => row.day))) {
        const ofDay = [...table.rows.values()].filter(row => row.day === day)
        // When the limit is reached, each of the five paths can still add one row.
        expect(ofDay.length).toBeLessThanOrEqual(limits.inAll + 5)
      }
    }),
  )
})
