// A separate relational store for each suite, in the state after a first start. Tests must read the exported binding only while they run,
// because it changes.
import { openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import { preparedDirectory, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll } from 'vitest'

const openIn = (directory: string) => openRelationalStore({ kind: 'embedded', directory })

export async function openRelational(directory: string): Promise<RelationalStore> {
  await preparedDirectory('relational', directory, async path => (await openIn(path)).close())
  return openIn(directory)
}

export let relational: RelationalStore
/** The directory of the store, in which a suite can also create other files. */
export let directory: TemporaryDirectory

/** Each test file must call this function once, at its top level. */
export function theFileHasARelationalStore(): void {
  beforeAll(async () => {
    directory = await temporaryDirectory()
    relational = await openRelational(`${directory.path}/relational`)
  })
  afterAll(async () => {
    await relational.close()
    await directory.remove()
  })
}
