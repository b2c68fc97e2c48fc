// Dataset items as they were at a time, and runs that are made once, on both kinds of store.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureDatasetRun } from '../src/dataset-runs/repository.ts'
import { findDatasetItem, readDatasetItem } from '../src/datasets/item-versions.ts'
import { keysOfPage, listDatasetItems, upsertDatasetItem } from '../src/datasets/items.ts'
import { inProject } from '../src/tenancy/handles.ts'
import { sql } from '../src/tenancy/sql.ts'
import { type OpenedStore, storeKinds } from './stores.ts'

const first = new Date('2026-01-01T00:00:00.000Z')
const second = '2026-02-01T00:00:00.123456Z'
const third = new Date('2026-03-01T00:00:00.000Z')

describe.each(storeKinds)('on $kind', ({ open }) => {
  let opened: OpenedStore
  beforeAll(async () => {
    opened = await open()
    const { db } = opened.store
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
  afterAll(() => opened.close())

  const find = (id: string, at: string | null, projectId = 'p') => findDatasetItem(inProject(opened.store, projectId), id, at)

  test('an item is what it was at that time, to the microsecond; deleted, it is no more', async () => {
    expect(await find('i', null)).toBe(undefined)
    expect(await find('i', third.toISOString())).toBe(undefined)
    expect(await find('i', '2025-12-31T23:59:59.999999Z')).toBe(undefined)
    expect(await find('i', first.toISOString())).toMatchObject({ datasetId: 'd', validFrom: first, bytes: 1 })
    expect(await find('i', '2026-02-01T00:00:00.123455Z')).toBe(undefined)
    const later = (await find('i', second))!
    expect(later).toMatchObject({ validFrom: new Date(second), bytes: 5 + '{"a": 12345678901234567890}'.length })
    expect(await readDatasetItem(inProject(opened.store, 'p'), later)).toEqual({
      input: '"two"',
      expectedOutput: null,
      metadata: '{"a": 12345678901234567890}',
    })
  })

  test('of another project, and what no store takes: there is none', async () => {
    expect(await find('other', null, 'q')).toBe(undefined)
    expect(await find('other\0', null)).toBe(undefined)
    const other = (await find('other', null))!
    expect(await readDatasetItem(inProject(opened.store, 'p'), other)).toEqual({ input: 'null', expectedOutput: null, metadata: null })
  })

  test('the keys of a page come from the index in their order: their number alone is looked at, not that of the items', async () => {
    const { db } = opened.store
    await db.insertInto('datasets').values({ id: 'large', project_id: 'p', name: 'large' }).execute()
    await sql`insert into dataset_items (id, project_id, dataset_id, input, created_at, valid_from)
      select 'large-' || n, 'p', 'large', '1', timestamp '2026-01-01' + n * interval '1 second', timestamp '2026-01-01'
      from generate_series(1, 3000) as n`.execute(db)
    await sql`analyze dataset_items`.execute(db)
    interface Plan {
      readonly 'Node Type': string
      readonly 'Index Name'?: string
      readonly 'Actual Rows': number
      readonly Plans?: readonly Plan[]
    }
    const rowsOf = async (page: number): Promise<readonly (string | number | undefined)[]> => {
      const query = keysOfPage(inProject(opened.store, 'p'), { datasetId: 'large' }, { page, limit: 10 })
      const [plan] = (await query.explain('json', sql`analyze`)) as unknown as readonly {
        readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[]
      }[]
      const { Plans = [] } = plan!['QUERY PLAN'][0]!.Plan
      return Plans.flatMap(each => [each['Index Name'], each['Actual Rows'], each.Plans?.length])
    }
    expect(await rowsOf(1)).toEqual(['dataset_items_current_idx', 10, undefined])
    expect(await rowsOf(20)).toEqual(['dataset_items_current_idx', 200, undefined])
    const { rows, totalItems } = await listDatasetItems(inProject(opened.store, 'p'), { datasetId: 'large' }, { page: 300, limit: 10 })
    expect([totalItems, rows.length, rows.at(-1)!.id]).toEqual([3000, 10, 'large-1'])
  })

  test('a page that is too large is refused, and read in smaller ones', async () => {
    const project = inProject(opened.store, 'p')
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

  test('JSON columns are what was written; names that are whole numbers take no thousandfold memory on the way', async () => {
    const metadata = JSON.stringify(Array.from({ length: 20_000 }, () => ({ 1023: 1, '\\u': [null, 'ü'] })))
    await opened.store.db.insertInto('dataset_items').values({ id: 'many', project_id: 'p', dataset_id: 'd', metadata }).execute()
    const before = process.memoryUsage().heapUsed
    const rows = await opened.store.db.selectFrom('dataset_items').select(['id', 'metadata']).where('id', '=', 'many').execute()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60e6)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows[0]!.metadata)).toBe(metadata)
  })

  test('a run is made once, whoever comes first; one of a dataset that is gone is not', async () => {
    const run = { id: 'r', datasetId: 'd', name: 'run', description: 'why', metadata: '{"a":[1]}', createdAt: first }
    const made = await Promise.all(
      [1, 2, 3, 4].map(at => ensureDatasetRun(inProject(opened.store, 'p'), { ...run, description: `why ${at}` })),
    )
    expect(new Set(made.map(each => JSON.stringify(each))).size).toBe(1)
    expect(made[0]).toEqual({ id: 'r', name: 'run', description: expect.any(String), metadata: '{"a": [1]}', createdAt: first })
    expect(await ensureDatasetRun(inProject(opened.store, 'p'), { ...run, id: 'another id' })).toMatchObject({ id: 'r' })
    expect(await ensureDatasetRun(inProject(opened.store, 'p'), { ...run, id: 'r2', datasetId: 'gone' })).toBe(undefined)
  })
})
