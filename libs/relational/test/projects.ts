// Creates projects for the suites in `aggregates/`.
import { randomUUID } from 'node:crypto'
import type { RelationalStore } from '../src/store/store.ts'
import type { Author } from '../src/tenancy/audit.ts'
import { type InProject, inProject, instance } from '../src/tenancy/handles.ts'

export const author: Author = { actor: { apiKeyId: 'a key' }, at: new Date('2026-11-01T12:00:00.123Z') }

export interface OpenedProjects {
  readonly store: RelationalStore
  /** Project `p` of organization `o`. */
  readonly project: InProject
  /** Project `q` of organization `o2`. */
  readonly other: InProject
  /** Creates a new project of organization `o`. */
  another(): Promise<InProject>
}

export async function openProjects(open: () => Promise<RelationalStore>): Promise<OpenedProjects> {
  const store = await open()
  const all = instance(store)
  const create = (id: string, org_id: string) => all.unaudited(rows => rows.insert('projects', { id, org_id, name: id }).execute())
  await all.unaudited(rows =>
    rows
      .insert(
        'organizations',
        ['o', 'o2'].map(id => ({ id, name: id })),
      )
      .execute(),
  )
  await create('p', 'o')
  await create('q', 'o2')
  return {
    store,
    project: inProject(store, 'p'),
    other: inProject(store, 'q'),
    async another() {
      const id = randomUUID()
      await create(id, 'o')
      return inProject(store, id)
    },
  }
}
