import { inNightly, sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureDatasetRun } from '../src/dataset-runs/repository.ts'
import { divideRanges, placeOf, rangeAt } from '../src/datasets/item-counts.ts'
import { itemsOf, keysAt, keysOfPage, listDatasetItems } from '../src/datasets/item-pages.ts'
import { findDatasetItem, readDatasetItem } from '../src/datasets/item-versions.ts'
import { deleteDatasetItem, upsertDatasetItem } from '../src/datasets/items.ts'
import { upsertDatasetItems } from '../src/datasets/many-items.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { inProject } from '../src/tenancy/handles.ts'
import { sql } from '../src/tenancy/sql.ts'
import { bothStoreKinds } from './stores.ts'

const first = new Date('2026-01-01T00:00:00.000Z')
const second = '2026-02-01T00:00:00.123456Z'
const third = new Date('2026-03-01T00:00:00.000Z')

describe.each(bothStoreKinds)('on $kind', ({ kind, open }) => {
  let store: RelationalStore
  beforeAll(async () => {
    store = await open()
    const { db } = store
    await db.insertInto('organizations').values({ id: 'o', name: 'o' }).execute()
    await db.insertInto('projects').values({ id: 'p', org_id: 'o', name: 'p' }).execute()
    await db.insertInto('datasets').values({ id: 'd', project_id: 'p', name: 'd' }).execute()
    const item = { id: 'i', project_id: 'p', dataset_id: 'd' }
    await db
      .insertInto('dataset_items')
      .values([
        { ...item, input: '1', valid_from: first, valid_to: new Date(second) },
        { ...item, input: '"two"', metadata: '{"a":12345678901234567890}', valid_from: second as never, valid_to: third },
        { ...item, valid_from: third, is_deleted: true },
        { ...item, id: 'other', input: 'null' },
      ])
      .execute()
  })
  afterAll(() => store.close())

  const find = (id: string, at: string | null, projectId = 'p') => findDatasetItem(inProject(store, projectId), id, at)

  test('finds the version of an item at a time, to the microsecond, and finds no version after its deletion', async () => {
    expect(await find('i', null)).toBe(undefined)
    expect(await find('i', third.toISOString())).toBe(undefined)
    expect(await find('i', '2025-12-31T23:59:59.999999Z')).toBe(undefined)
    expect(await find('i', first.toISOString())).toMatchObject({ datasetId: 'd', validFrom: first, bytes: 1 })
    expect(await find('i', '2026-02-01T00:00:00.123455Z')).toBe(undefined)
    const later = (await find('i', second))!
    expect(later).toMatchObject({ validFrom: new Date(second), bytes: 5 + '{"a": 12345678901234567890}'.length })
    expect(await readDatasetItem(inProject(store, 'p'), later)).toEqual({
      input: '"two"',
      expectedOutput: null,
      metadata: '{"a": 12345678901234567890}',
    })
  })

  test('finds no item of another project, or with an id that cannot be stored', async () => {
    expect(await find('other', null, 'q')).toBe(undefined)
    expect(await find('other\0', null)).toBe(undefined)
    const other = (await find('other', null))!
    expect(await readDatasetItem(inProject(store, 'p'), other)).toEqual({ input: 'null', expectedOutput: null, metadata: null })
  })

  interface Plan {
    readonly 'Node Type': string
    readonly 'Relation Name'?: string
    readonly 'Actual Rows': number
    readonly 'Actual Loops': number
    readonly 'Rows Removed by Filter'?: number
    readonly 'Rows Removed by Index Recheck'?: number
    readonly Plans?: readonly Plan[]
  }
  /** Returns the number of rows that the query plan reads from tables. */
  const rowsOfPlan = (plan: Plan): number =>
    (plan['Relation Name'] === undefined
      ? 0
      : plan['Actual Loops'] *
        (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0))) +
    (plan.Plans ?? []).reduce((sum, each) => sum + rowsOfPlan(each), 0)
  async function rowsOf(query: { explain(format: 'json', options: ReturnType<typeof sql>): Promise<unknown> }): Promise<number> {
    const [found] = (await query.explain('json', sql`analyze`)) as readonly {
      readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[]
    }[]
    return rowsOfPlan(found!['QUERY PLAN'][0]!.Plan)
  }
  async function fill(id: string, items: number): Promise<void> {
    const part = 5_000
    for (let from = 0; from < items; from += part)
      await sql`insert into dataset_items (id, project_id, dataset_id, input, created_at, valid_from)
        select ${`${id}-`} || n, 'p', ${id}, '1', timestamp '2026-01-01' + (n / 700) * interval '1 second', timestamp '2026-01-01'
        from generate_series(${from}::int, ${Math.min(from + part, items) - 1}::int) as n`.execute(store.db)
  }

  // Ordinary runs test pages of many items only on PostgreSQL, because PGlite takes seconds for them.
  const whereFast = kind === 'PGlite' ? inNightly : (declare: () => void) => declare()
  whereFast(() => {
    const many = sized(150_000, 30_000)
    test(`the first, middle and last page of ${many} items examine about as many rows as those of 1500 items`, async () => {
      const { db } = store
      const project = inProject(store, 'p')
      const looked = async (id: string, items: number) => {
        await db.insertInto('datasets').values({ id, project_id: 'p', name: id }).execute()
        await fill(id, items)
        await listDatasetItems(project, { datasetId: id }, { page: 1, limit: 1 })
        await sql`vacuum analyze dataset_items, dataset_item_counts`.execute(db)
        const numbers = []
        for (const page of [1, Math.ceil(items / 200), items / 100]) {
          const place = await placeOf(project, id, (page - 1) * 100)
          expect(place.totalItems).toBe(items)
          numbers.push(
            (await rowsOf(rangeAt(project, id, (page - 1) * 100))) + (await rowsOf(itemsOf(project, keysAt(project, id, place, 100)))),
          )
        }
        return Math.max(...numbers)
      }
      const [small, large] = [await looked('small', 1_500), await looked('large', many)]
      expect(large / small).toBeLessThanOrEqual(2)
      const last = await listDatasetItems(project, { datasetId: 'large' }, { page: many / 100, limit: 100 })
      expect([last.totalItems, last.rows.length, last.rows[0]!.createdAt]).toEqual([many, 100, new Date('2026-01-01T00:00:00Z')])
    })

    test('a list by source examines only the items of that source, however many other items exist', async () => {
      const project = inProject(store, 'p')
      await store.db.insertInto('datasets').values({ id: 'sourced', project_id: 'p', name: 'sourced' }).execute()
      await fill('sourced', 5_000)
      await sql`update dataset_items set source_trace_id = id, source_observation_id = id where dataset_id = 'sourced'`.execute(store.db)
      await sql`vacuum analyze dataset_items`.execute(store.db)
      for (const filter of [
        { sourceTraceId: 'sourced-7' },
        { sourceObservationId: 'sourced-7' },
        { datasetId: 'sourced', sourceTraceId: 'sourced-7' },
      ]) {
        expect(await rowsOf(itemsOf(project, keysOfPage(project, filter, { page: 1, limit: 100 })))).toBeLessThan(20)
        expect((await listDatasetItems(project, filter, { page: 1, limit: 100 })).rows.map(({ id }) => id)).toEqual(['sourced-7'])
      }
    })

    test('pages are correct after any changes, for the current state and for any time', async () => {
      const project = inProject(store, 'p')
      const { db } = store
      let run = 0
      const id = fc.integer({ min: 0, max: 30 }).map(at => `é${at}`)
      const change = fc.oneof(
        fc.record({
          kind: fc.constant('write' as const),
          ids: fc.uniqueArray(id, { minLength: 1, maxLength: 12 }),
          isActive: fc.boolean(),
        }),
        fc.record({ kind: fc.constant('delete' as const), ids: fc.tuple(id) }),
        fc.record({ kind: fc.constant('erase' as const), ids: fc.uniqueArray(id, { maxLength: 4 }) }),
        fc.record({ kind: fc.constant('divide' as const), size: fc.integer({ min: 1, max: 4 }) }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (changes, limit) => {
          const name = `pages-${run++}`
          await db.insertInto('datasets').values({ id: name, project_id: 'p', name }).execute()
          const times: string[] = []
          for (const [at, each] of changes.entries()) {
            const by = { actor: 'operator', at: new Date(first.getTime() + at * 1_000) } as const
            times.push(by.at.toISOString())
            const of = (each.kind === 'divide' ? [] : each.ids).map(id => `${name} ${id}`)
            if (each.kind === 'divide') await divideRanges(project, name, each.size)
            else if (each.kind === 'erase')
              await db
                .deleteFrom('dataset_items')
                .where('id', 'in', ['', ...of])
                .execute()
            else if (each.kind === 'delete') await deleteDatasetItem(project, by, of[0]!)
            else {
              const status = each.isActive ? 'ACTIVE' : 'ARCHIVED'
              const written = of.map(id => ({ id, datasetName: name, status, input: '1' }) as const)
              await upsertDatasetItems(project, by, written, { check: async () => new Map(), checkOne: async () => {} })
            }
          }
          for (const time of [undefined, ...times]) {
            const state =
              time === undefined ? sql`valid_to is null` : sql`valid_from <= ${time} and (valid_to is null or valid_to > ${time})`
            const { rows: expected } = await sql<{ id: string }>`select id from dataset_items where dataset_id = ${name}
              and not is_deleted and status = 'ACTIVE' and ${state} order by created_at desc, id`.execute(db)
            for (let page = 1; page <= Math.ceil(expected.length / limit) + 1; page++) {
              const filter = { datasetId: name, ...(time !== undefined && { at: time }) }
              const { rows, totalItems } = await listDatasetItems(project, filter, { page, limit })
              expect(totalItems).toBe(expected.length)
              expect(rows.map(row => row.id)).toEqual(expected.slice((page - 1) * limit, page * limit).map(row => row.id))
            }
          }
        }),
        { numRuns: sized(25, 6) },
      )
    })

    test('counts stay exact during concurrent writes, divisions and deletions, and are deleted with their dataset', async () => {
      const project = inProject(store, 'p')
      const { db } = store
      await db.insertInto('datasets').values({ id: 'busy', project_id: 'p', name: 'busy' }).execute()
      const checks = { check: async () => new Map(), checkOne: async () => {} }
      const write = async (at: number) => {
        const by = { actor: 'operator', at: new Date(first.getTime() + (at % 5)) } as const
        const ids = Array.from({ length: 8 }, (_, n) => `busy ${(at + n * 3) % 40}`)
        await upsertDatasetItems(
          project,
          by,
          ids.map(id => ({ id, datasetName: 'busy', input: `${at}` })),
          checks,
        )
        if (at % 2 === 0) await divideRanges(project, 'busy', 3)
        if (at % 7 === 0) await deleteDatasetItem(project, by, ids[0]!)
      }
      await Promise.all(Array.from({ length: 30 }, (_, at) => write(at)))
      const counted = await sql<{ count: string }>`select count(*) from dataset_items where dataset_id = 'busy'
        and valid_to is null and not is_deleted and status = 'ACTIVE'`.execute(db)
      expect((await placeOf(project, 'busy', 0)).totalItems).toBe(Number(counted.rows[0]!.count))
      await db.deleteFrom('datasets').where('id', '=', 'busy').execute()
      const left = await db.selectFrom('dataset_item_counts').select('items').where('dataset_id', '=', 'busy').execute()
      expect(left).toEqual([])
    })
  })

  test('rejects a page that is too large, and returns it in smaller pages', async () => {
    const project = inProject(store, 'p')
    const size = async (at: number) => {
      await upsertDatasetItem(
        project,
        { actor: 'operator', at: third },
        { id: `s${at}`, datasetName: 'd', input: `"${'x'.repeat(98)}"`, sourceTraceId: 's' },
        async () => {},
      )
    }
    await size(1)
    await size(2)
    const page = (limit: number) => listDatasetItems(project, { sourceTraceId: 's' }, { page: 1, limit }, 150)
    await expect(page(2)).rejects.toMatchObject({ code: 'bad_request' })
    expect(await page(1)).toMatchObject({ rows: [{ id: 's1' }], totalItems: 2 })
  })

  test('returns JSON columns as written, and member names that are whole numbers take little memory', async () => {
    const metadata = JSON.stringify(Array.from({ length: 20_000 }, () => ({ 1023: 1, '\\u': [null, 'ü'] })))
    await store.db.insertInto('dataset_items').values({ id: 'many', project_id: 'p', dataset_id: 'd', metadata }).execute()
    const before = process.memoryUsage().heapUsed
    const rows = await store.db.selectFrom('dataset_items').select(['id', 'metadata']).where('id', '=', 'many').execute()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60e6)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows[0]!.metadata)).toBe(metadata)
  })

  test('concurrent requests create a run once, and never for a deleted dataset', async () => {
    const run = { id: 'r', datasetId: 'd', name: 'run', description: 'why', metadata: '{"a":[1]}', createdAt: first }
    const made = await Promise.all([1, 2, 3, 4].map(at => ensureDatasetRun(inProject(store, 'p'), { ...run, description: `why ${at}` })))
    expect(new Set(made.map(each => JSON.stringify(each))).size).toBe(1)
    expect(made[0]).toEqual({ id: 'r', name: 'run', description: expect.any(String), metadata: '{"a": [1]}', createdAt: first })
    expect(await ensureDatasetRun(inProject(store, 'p'), { ...run, id: 'another id' })).toMatchObject({ id: 'r' })
    expect(await ensureDatasetRun(inProject(store, 'p'), { ...run, id: 'r2', datasetId: 'gone' })).toBe(undefined)
  })
})
