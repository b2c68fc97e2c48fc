// Opens relational stores for suites: PGlite in a directory, or a database of a real PostgreSQL server. Creating a store takes seconds, so
// a run creates one of each kind, and each suite gets a copy.
import { join } from 'node:path'
import { testDatabase } from '@svc-server/dev-servers/test-database'
import { preparedDirectory, sized, temporaryDirectory } from '@svc-server/testkit'
import { openRelationalStore, type RelationalStore } from '../src/store/store.ts'

const openIn = (directory: string) => openRelationalStore({ kind: 'embedded', directory })

/** Fills the directory with an embedded store without rows. */
export const prepareEmbeddedStore = (path: string): Promise<void> =>
  preparedDirectory('relational', path, async made => (await openIn(made)).close())

const removedAtClose = (store: RelationalStore, data: { remove(): Promise<void> }): RelationalStore => ({
  ...store,
  async close() {
    await store.close()
    await data.remove()
  },
})

export async function openEmbeddedTestStore(): Promise<RelationalStore> {
  const directory = await temporaryDirectory()
  const path = join(directory.path, 'pg')
  await prepareEmbeddedStore(path)
  return removedAtClose(await openIn(path), directory)
}

export interface PostgresTestStore extends RelationalStore {
  /** The address of the database. Other processes can open it too. */
  readonly url: string
}

/** Opens a store on PostgreSQL, which needs a twentieth of PGlite's processor time. Suites use it unless they test PGlite itself. */
export async function openTestStore(): Promise<PostgresTestStore> {
  const open = (url: string) => openRelationalStore({ kind: 'postgres', url })
  const database = await testDatabase({ model: 'relational', make: async url => (await open(url)).close() })
  return { ...removedAtClose(await open(database.url), database), url: database.url }
}

interface StoreKind {
  readonly kind: 'PGlite' | 'PostgreSQL'
  readonly open: () => Promise<RelationalStore>
}
const postgres: StoreKind = { kind: 'PostgreSQL', open: openTestStore }

/** For suites that test types, errors or tables, because the two stores could differ in these. */
export const bothStoreKinds: readonly StoreKind[] = [{ kind: 'PGlite', open: openEmbeddedTestStore }, postgres]

/** For all other suites. Ordinary runs test only PostgreSQL, and the nightly run also tests PGlite. */
export const storeKinds: readonly StoreKind[] = sized(bothStoreKinds, [postgres])
