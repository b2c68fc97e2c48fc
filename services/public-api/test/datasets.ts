import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'

export const datasetId = 'dataset-1'
/**
 * Time at which the first version of each item was written. Later, `item-2` was changed and `item-gone` was deleted, but `item-1` stayed
 * unchanged.
 */
export const itemSince = new Date('2026-01-01T00:00:00.000Z')
export const changedAt = new Date('2026-02-01T00:00:00.000Z')

export interface OpenedDatasets extends AsyncDisposable {
  readonly store: RelationalStore
  runs(): Promise<
    readonly { readonly id: string; readonly name: string; readonly description: string | null; readonly metadata: unknown }[]
  >
}

export async function openDatasets(): Promise<OpenedDatasets> {
  const store = await openTestStore()
  const { db } = store
  await db.insertInto('organizations').values({ id: 'org', name: 'org' }).execute()
  for (const id of ['project-0', 'project-other']) await db.insertInto('projects').values({ id, org_id: 'org', name: id }).execute()
  for (const project_id of ['project-0', 'project-other']) {
    await db.insertInto('datasets').values({ id: datasetId, project_id, name: 'a/dataset' }).execute()
  }
  const item = { project_id: 'project-0', dataset_id: datasetId, valid_from: itemSince }
  const contents = {
    input: '{"question":["why",12345678901234567890]}',
    expected_output: '"because"',
    metadata: '{"level":{"deep":1},"kind":"a"}',
  }
  await db
    .insertInto('dataset_items')
    .values([
      { ...item, id: 'item-1', ...contents },
      { ...item, id: 'item-2', input: '1', valid_to: changedAt },
      { ...item, id: 'item-2', input: '2', valid_from: changedAt },
      { ...item, id: 'item-gone', valid_to: changedAt },
      { ...item, id: 'item-gone', valid_from: changedAt, is_deleted: true },
      { ...item, id: 'item-other', project_id: 'project-other' },
    ])
    .execute()
  return {
    store,
    runs: () => db.selectFrom('dataset_runs').select(['id', 'name', 'description', 'metadata']).orderBy('name').execute(),
    async [Symbol.asyncDispose]() {
      await store.close()
    },
  }
}
