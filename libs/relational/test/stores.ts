// Opens PGlite in a directory, or connects to a real PostgreSQL server.
import { join } from 'node:path'
import { startPostgres } from '@svc-server/dev-servers/postgres'
import { preparedDirectory, temporaryDirectory } from '@svc-server/testkit'
import { openRelationalStore, type RelationalStore } from '../src/store/store.ts'

export interface OpenedStore {
  readonly store: RelationalStore
  close(): Promise<void>
}

async function openEmbedded(): Promise<OpenedStore> {
  const directory = await temporaryDirectory()
  const options = { kind: 'embedded', directory: join(directory.path, 'pg') } as const
  // Each suite copies a prepared directory, because creating a store takes seconds.
  await preparedDirectory('relational', options.directory, async path =>
    (await openRelationalStore({ ...options, directory: path })).close(),
  )
  const store = await openRelationalStore(options)
  return {
    store,
    async close() {
      await store.close()
      await directory.remove()
    },
  }
}

async function openPostgres(): Promise<OpenedStore> {
  const server = await startPostgres()
  const store = await openRelationalStore({ kind: 'postgres', url: server.url })
  return {
    store,
    async close() {
      await store.close()
      await server.stop()
    },
  }
}

export const storeKinds = [
  { kind: 'PGlite', open: openEmbedded },
  { kind: 'PostgreSQL', open: openPostgres },
] as const
