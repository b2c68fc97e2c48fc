// The directory of an instance for tests that do not concern the first start: its relational store already exists, as a first start creates
// it.
import { join } from 'node:path'
import { openRelationalStore } from '@svc-server/relational/store'
import { preparedDirectory, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'

export async function instanceDirectory(): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory()
  await preparedDirectory('relational', join(directory.path, 'relational'), async path => {
    const store = await openRelationalStore({ kind: 'embedded', directory: path })
    await store.close()
  })
  return directory
}
