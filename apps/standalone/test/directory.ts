// The directory of an instance whose first start is not what is tested: its relational store is there already, as a first start makes it.
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
