// The tests restart the audit, move offsets, or recreate the log. They check the offset at which the audit then continues.
import type { EventLog } from '@svc-server/log'
import { manualClock, sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RowVersion } from '../src/presence/key.ts'
import { auditedRows, topic } from './audited-rows.ts'
import { spansOf } from './log.ts'
import { deleteRows, insertRows } from './tables.ts'

const it = auditedRows()

describe('the cursor', () => {
  const readFrom = (): { log: EventLog; offsets: number[] } => {
    const offsets: number[] = []
    const read: EventLog['read'] = (name, partition, from, maxBytes) => {
      if (name === topic && maxBytes > 1) offsets.push(from)
      return it.opened.log.read(name, partition, from, maxBytes)
    }
    return { log: { ...it.opened.log, read }, offsets }
  }

  test('after a restart the audit continues at its position and still knows the missing items', async () => {
    const rows = [...(await it.append(spansOf(3))), ...(await it.append(spansOf(4, 3)))]
    await insertRows(it.columnStore, rows.slice(0, 2))
    await it.acknowledge(2)
    const first = it.audit()
    expect(await it.missing(first)).toBe(5)
    await first.stop()
    await insertRows(it.columnStore, await it.append(spansOf(5, 10)))
    await it.acknowledge(3)
    const { log, offsets } = readFrom()
    const next = it.audit({ log })
    expect(await it.missing(next)).toBe(5)
    // Items are missing from both records of one range, at offsets 0 and 1. One read at offset 0 covers both records. The next read begins
    // at offset 2, with the record that was appended after the first audit.
    expect(new Set(offsets)).toEqual(new Set([0, 2]))
    await insertRows(it.columnStore, rows)
    expect(await it.missing(next)).toBe(0)
  })

  test('after an offset was moved back, the audit walks from there', async () => {
    await insertRows(it.columnStore, [
      ...(await it.append(spansOf(3))),
      ...(await it.append(spansOf(4, 3))),
      ...(await it.append(spansOf(1, 9))),
    ])
    const { log, offsets } = readFrom()
    let offset = 3
    const one = it.audit({ log: { ...log, committed: async () => new Map([[0, { offset, metadata: '' }]]) } })
    expect(await it.missing(one)).toBe(0)
    offset = 1
    expect(await it.missing(one)).toBe(0)
    await deleteRows(it.columnStore, 'events_full', `project_id = '${it.projectId}'`)
    offset = 3
    expect(await it.missing(one)).toBe(5)
    expect(offsets.slice(0, 2)).toEqual([0, 1])
  })

  test('after an offset was moved back into missing items, unacknowledged items are not missing and no item is counted twice', async () => {
    await it.append(spansOf(1))
    await it.append(spansOf(1, 5))
    let offset = 2
    const one = it.audit({ log: { ...it.opened.log, committed: async () => new Map([[0, { offset, metadata: '' }]]) } })
    expect(await it.missing(one)).toBe(2)
    offset = 1
    expect(await it.missing(one)).toBe(1)
    offset = 2
    expect(await it.missing(one)).toBe(2)
  })

  test('starts over on a recreated log', async () => {
    await insertRows(it.columnStore, [...(await it.append(spansOf(3))), ...(await it.append(spansOf(4, 3)))])
    await it.acknowledge(2)
    const first = it.audit()
    expect(await it.missing(first)).toBe(0)
    await first.stop()
    await it.reopen()
    await it.append(spansOf(6, 20))
    await it.append(spansOf(2, 30))
    await it.acknowledge(2)
    expect(await it.missing(it.audit())).toBe(8)
  })

  test('offsets and missing spans that retention deletes before the audit are counted', async () => {
    const clock = manualClock(Date.now())
    await it.reopen(spec => (spec.name === topic ? { ...spec, retentionMs: 1_000, readers: [] } : spec), clock.now)
    await it.append(spansOf(2))
    await it.acknowledge(1)
    const one = it.audit({ clock: clock.now })
    expect(await it.missing(one)).toBe(2)
    const rows = await it.append(spansOf(3, 3))
    await it.append(spansOf(4, 7))
    clock.advance(60_000)
    await insertRows(it.columnStore, rows)
    await it.append(spansOf(1, 20))
    await it.acknowledge(4)
    await it.opened.log.maintain()
    expect(await it.missing(one)).toBe(1)
    expect({ passed: it.passed, lost: it.lost }).toEqual({ passed: [[1, 3]], lost: [[0, 0, 2]] })
  })

  test('deleted records of a missing range are lost, and the remaining records are still missing', async () => {
    const clock = manualClock(Date.now())
    await it.reopen(spec => (spec.name === topic ? { ...spec, retentionMs: 1_000, readers: [] } : spec), clock.now)
    await it.append(spansOf(2))
    await it.append(spansOf(3, 3))
    clock.advance(60_000)
    const rows = await it.append(spansOf(4, 7))
    await it.acknowledge(3)
    const one = it.audit({ clock: clock.now })
    expect(await it.missing(one)).toBe(9)
    await it.opened.log.maintain()
    expect(await it.missing(one)).toBe(4)
    expect(it.lost).toEqual([[0, 2, 5]])
    await insertRows(it.columnStore, rows)
    expect(await it.missing(one)).toBe(0)
    expect(it.lost).toEqual([[0, 2, 5]])
  })
})

test('exactly the deleted rows are missing, and none once they are restored', async () => {
  const records = fc.array(
    fc.record({ count: fc.integer({ min: 0, max: 12 }), encoding: fc.constantFrom('identity' as const), lies: fc.nat(2) }),
    { minLength: 1, maxLength: 5 },
  )
  const edges = fc.constantFrom<readonly [bigint, bigint]>([1n, 1n], [0n, 1n], [0n, 0n], [1n, 0n])
  await fc.assert(
    fc.asyncProperty(records, fc.array(edges, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat(3)), async (made, times, dice) => {
      it.nextProject()
      await it.reopen()
      const rows: RowVersion[] = []
      let lies = 0
      for (const [number, { count, lies: more }] of made.entries()) {
        const spans = spansOf(count, number * 20).map((span, i) => {
          const [start, end] = times[i % times.length]!
          return { ...span, startNs: span.startNs! * start, endNs: (span.startNs! + 999n) * end }
        })
        rows.push(...(await it.append(spans, { spanCount: count + more })))
        lies += more
      }
      const fate = rows.map(() => dice.next().value as number)
      // Span 0 has no row. Span 1 has a row only in events_core. Spans 2 and 3 have rows in both tables.
      await insertRows(
        it.columnStore,
        rows.filter((_, i) => fate[i]! > 0),
      )
      const onlyCore = rows.filter((_, i) => fate[i] === 1).map(({ spanId }) => `'${spanId}'`)
      if (onlyCore.length > 0)
        await deleteRows(it.columnStore, 'events_full', `project_id = '${it.projectId}' AND span_id IN (${onlyCore})`)
      await it.acknowledge(made.length)
      const one = it.audit()
      expect(await it.missing(one)).toBe(lies + fate.filter(is => is < 2).length)
      await insertRows(it.columnStore, rows)
      expect(await it.missing(one)).toBe(lies)
      await one.stop()
    }),
    { numRuns: sized(5, 3) },
  )
})
