// Creates a directory with a relational store and a column store, which are migrated but contain no projects. An instance starts faster in
// this directory than in an empty directory, because these stores and their tables already exist. Tests of the first start do not use this
// file; they start an instance in an empty directory.
import { join } from 'node:path'
import { createColumnStore } from '@svc-server/column-store/client'
import { startEngine } from '@svc-server/embedded-engine'
import { prepareEmbeddedStore } from '@svc-server/relational/test-stores'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { preparedDirectory, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'

export async function instanceDirectory(): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory()
  await Promise.all([
    prepareEmbeddedStore(join(directory.path, 'relational')),
    preparedDirectory('engine', join(directory.path, 'column-store'), createTables),
  ])
  return directory
}

async function createTables(dataDir: string): Promise<void> {
  const engine = await startEngine({ dataDir, port: 0, password: 'p' })
  const columnStore = createColumnStore({ url: engine.url, user: 'svc', password: 'p', database: 'svc', requestTimeoutMs: 30_000 })
  await migrateColumnStore(columnStore, { database: 'svc', clustered: false })
  await columnStore.close()
  await engine.stop()
}
