// The test creates two projects. Their rows have equal names and ids wherever the schema allows equal values.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RelationalStore } from '../src/store/store.ts'
import { isConflict, isMissingReference } from '../src/tenancy/conflicts.ts'
import { cursorPageOf } from '../src/tenancy/cursors.ts'
import { type InProject, inOrganization, inProject, instance } from '../src/tenancy/handles.ts'
import { canBeId } from '../src/tenancy/ids.ts'
import { sql } from '../src/tenancy/sql.ts'
import { bothStoreKinds } from './stores.ts'

const at = new Date('2026-01-01T00:00:00.000Z')
const by = { actor: { apiKeyId: 'k' }, at } as const
const times = { created_at: at, updated_at: at }

describe.each(bothStoreKinds)('on $kind', ({ open }) => {
  let store: RelationalStore
  let project: InProject
  let other: InProject
  beforeAll(async () => {
    store = await open()
    project = inProject(store, 'p')
    other = inProject(store, 'q')
    const all = instance(store)
    await all.unaudited(async rows => {
      await rows
        .insert('organizations', [
          { id: 'o', name: 'o' },
          { id: 'o2', name: 'o2' },
        ])
        .execute()
      await rows
        .insert(
          'projects',
          ['p', 'q'].map(id => ({ id, org_id: id === 'p' ? 'o' : 'o2', name: id })),
        )
        .execute()
    })
  })
  afterAll(() => store.close())

  const dataset = (id: string, name: string) => ({ id, name, ...times })
  const item = (id: string, dataset_id: string) => ({ id, dataset_id, valid_from: at, ...times })
  beforeEach(async () => {
    await instance(store).unaudited(async rows => {
      for (const table of ['datasets', 'score_configs', 'models'] as const) await rows.delete(table).execute()
    })
    for (const of of [project, other]) {
      await of.unaudited(async rows => {
        await rows.insert('datasets', [dataset('d', 'd'), dataset('e', 'e')]).execute()
        await rows.insert('dataset_items', [item(`of ${of.projectId}`, 'd'), item('both', 'e')]).execute()
      })
    }
  })

  test('a select, its joins and its subqueries return only rows of the project', async () => {
    const items = project.select('dataset_items').select('dataset_items.id').orderBy('dataset_items.id')
    const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
    expect(ids(await items.execute())).toEqual(['both', 'of p'])
    const joined = items.innerJoin('datasets as of', 'of.id', 'dataset_items.dataset_id').where('of.name', '=', 'd')
    expect(ids(await joined.execute())).toEqual(['of p'])
    const left = project
      .select('datasets')
      .leftJoin('dataset_items as item', 'item.dataset_id', 'datasets.id')
      .select(['datasets.id', 'item.project_id'])
    expect(new Set((await left.execute()).map(row => row.project_id))).toEqual(new Set(['p']))
    const within = items.where('dataset_items.id', 'in', eb =>
      eb.selectFrom('dataset_items as i').select('i.id').where('i.id', 'like', 'of%'),
    )
    expect(ids(await within.execute())).toEqual(['of p'])
    expect(ids(await items.where(sql<boolean>`true or true`).execute())).toEqual(['both', 'of p'])
    expect(await project.select('projects').select('id').execute()).toEqual([{ id: 'p' }])
    expect(() => items.crossJoin('datasets').compile()).toThrow('inner or outer join')
  })

  test('an update, a delete and an upsert do not change rows of other projects', async () => {
    const names = () => other.select('datasets').select(['id', 'name']).orderBy('id').execute()
    const before = await names()
    await project.unaudited(async rows => {
      await rows.update('datasets').set({ name: sql`name || '!'` }).where(sql<boolean>`true or true`).execute()
      await rows.delete('dataset_items').where('id', '=', 'both').execute()
    })
    expect(await project.select('datasets').select('name').orderBy('id').execute()).toEqual([{ name: 'd!' }, { name: 'e!' }])
    expect(await names()).toEqual(before)
    expect(await other.find('dataset_items', 'both')).toMatchObject({ project_id: 'q' })

    const config = { id: 'shared key', name: 'mine', data_type: 'NUMERIC', ...times }
    await other.unaudited(rows => rows.insert('score_configs', config).execute())
    await project.unaudited(rows =>
      rows
        .insert('score_configs', { ...config, name: 'stolen' })
        .onConflict(conflict => conflict.column('id').doUpdateSet({ name: 'stolen' }))
        .execute(),
    )
    expect(await other.find('score_configs', 'shared key')).toMatchObject({ name: 'mine' })
  })

  test('selectShared also returns rows without a project', async () => {
    const model = (id: string) => ({ id, model_name: id, match_pattern: id, ...times })
    await instance(store).unaudited(rows => rows.insert('models', model('managed')).execute())
    await project.unaudited(rows => rows.insert('models', model('own')).execute())
    await other.unaudited(rows => rows.insert('models', model('foreign')).execute())
    expect(await project.selectShared('models').select('id').orderBy('id').execute()).toEqual([{ id: 'managed' }, { id: 'own' }])
    expect(await project.find('models', 'managed')).toBe(undefined)

    const tier = { id: 't', name: 'Standard', priority: 0, ...times }
    await project.unaudited(rows => rows.insertUnder('pricing_tiers', 'own', [tier]))
    expect(await project.find('pricing_tiers', 't')).toMatchObject({ model_id: 'own' })
    expect(await other.find('pricing_tiers', 't')).toBe(undefined)
    for (const id of ['managed', 'foreign', 'nowhere']) {
      const under = project.unaudited(rows => rows.insertUnder('pricing_tiers', id, [{ ...tier, id: 'u' }]))
      await expect(under, id).rejects.toMatchObject({ code: 'reference_missing' })
    }
  })

  test('the handle of an organization accesses the organization’s row, projects and keys', async () => {
    const organization = inOrganization(store, 'o')
    expect(await organization.select('projects').select('id').execute()).toEqual([{ id: 'p' }])
    expect(await organization.select('organizations').select('id').execute()).toEqual([{ id: 'o' }])
    expect(await organization.find('projects', 'q')).toBe(undefined)
    await organization.unaudited(rows => rows.update('organizations').set({ name: 'renamed' }).execute())
    expect(await inOrganization(store, 'o2').find('organizations', 'o2')).toMatchObject({ name: 'o2' })
  })

  test('a change and its audit entry are written atomically', async () => {
    const entries = () => project.select('audit_logs').select(['org_id', 'project_id', 'api_key_id', 'action', 'after']).execute()
    const entry = { resourceType: 'dataset', resourceId: 'f', action: 'create', after: { name: 'f' } } as const
    const failing = project.write(by, async rows => {
      await rows.insert('datasets', dataset('f', 'f')).execute()
      await rows.insert('datasets', dataset('g', 'f')).execute()
      return { value: null, audit: [entry] }
    })
    await expect(failing).rejects.toSatisfy(
      error => isConflict(error, 'datasets_project_id_name_key') && !isConflict(error, 'datasets_pkey'),
    )
    expect(await entries()).toEqual([])
    expect(await project.find('datasets', 'f')).toBe(undefined)

    const value = await project.write(by, async rows => {
      await rows.insert('datasets', dataset('f', 'f')).execute()
      return { value: 'made', audit: [entry] }
    })
    expect(value).toBe('made')
    expect(await entries()).toEqual([{ org_id: 'o', project_id: 'p', api_key_id: 'k', action: 'create', after: '{"name":"f"}' }])
    expect(await other.select('audit_logs').select('id').execute()).toEqual([])
  })

  test('distinguishes a missing parent from a row that is still referenced', async () => {
    const orphan = project.unaudited(rows => rows.insert('dataset_items', item('orphan', 'nowhere')).execute())
    await expect(orphan).rejects.toSatisfy(isMissingReference)
    await expect(orphan).rejects.toMatchObject({ params: { constraint: 'dataset_items_dataset_id_project_id_fkey' } })
    const inNoProject = inProject(store, 'nowhere').unaudited(rows => rows.insert('datasets', dataset('d', 'd')).execute())
    await expect(inNoProject).rejects.toSatisfy(isMissingReference)
    const { db } = store
    await sql`create table if not exists held (project_id text references projects (id))`.execute(db)
    await sql`insert into held values ('p')`.execute(db)
    await expect(instance(store).unaudited(rows => rows.delete('projects').where('id', '=', 'p').execute())).rejects.toMatchObject({
      code: 'still_referenced',
      params: { constraint: 'held_project_id_fkey', table: 'held' },
    })
    await sql`drop table held`.execute(db)
  })

  test('fifty concurrent inserts under one key create one row, and the others conflict', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => project.unaudited(rows => rows.insert('datasets', dataset(`n${n}`, 'one name')).execute())),
    )
    const failed = made.filter(each => each.status === 'rejected')
    expect(failed).toHaveLength(49)
    expect(failed.every(({ reason }) => isConflict(reason, 'datasets_project_id_name_key'))).toBe(true)
  })

  test('a cursor continues a list after its last row by time and id, and an invalid cursor is rejected', async () => {
    const later = new Date(at.getTime() + 1)
    const rows = Array.from({ length: 12 }, (_, n) => ({ ...dataset(`c${n}`, `c${n}`), created_at: n % 2 === 0 ? at : later }))
    await project.unaudited(async of => {
      await of.delete('datasets').execute()
      await of.insert('datasets', rows).execute()
    })
    const query = project.select('datasets').selectAll()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await cursorPageOf(query, 'datasets', { limit: 5, cursor })
      expect(page.rows.length).toBeLessThanOrEqual(5)
      seen.push(...page.rows.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== undefined)
    const newestFirst = rows.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
    expect(seen).toEqual(newestFirst.map(({ id }) => id))
    for (const wrong of ['', 'e30', Buffer.from('[1,"\\u0000"]').toString('base64url'), Buffer.from('[1e99,"a"]').toString('base64url')]) {
      await expect(cursorPageOf(query, 'datasets', { limit: 5, cursor: wrong })).rejects.toMatchObject({ code: 'bad_request' })
    }
  })

  test.each(['', '\0', 'a\0b', '\ud800', 'x\udc00', 'x'.repeat(801)])('the id %j finds no row', async id => {
    expect(await project.find('datasets', id)).toBe(undefined)
  })
})

test('accepts valid ids', () => {
  expect(['a', 'x'.repeat(800), 'ü/💡', ' '].every(canBeId)).toBe(true)
})

/** A repository with one of these statements must not compile. Nothing calls this function. */
async function refusedByTypes(project: InProject) {
  // @ts-expect-error the table has no project
  project.select('deleted_projects')
  // @ts-expect-error a write needs a transaction
  project.insert('datasets', { id: 'd', name: 'd', ...times })
  await project.write(by, async rows => {
    // @ts-expect-error the handle sets the project
    rows.insert('datasets', { id: 'd', name: 'd', project_id: 'q', ...times })
    // @ts-expect-error a row cannot move to another project
    rows.update('datasets').set({ project_id: 'q' })
    // @ts-expect-error only `write` changes the audit log
    rows.delete('audit_logs')
    // @ts-expect-error child rows need insertUnder
    rows.insert('pricing_tiers', { id: 't', model_id: 'm', name: 't', priority: 0, ...times })
    return { value: null, audit: [] }
  })
  // @ts-expect-error a change must return its audit entries
  await project.write(by, async () => ({ value: null }))
}

test('the types reject statements that no repository may run', () => {
  expect(refusedByTypes).toBeTypeOf('function')
})
