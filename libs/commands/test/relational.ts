// Each suite gets a relational store in the state after a first start. A test must read the exported binding only while it runs, because
// the binding changes.
import { openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import { preparedDirectory, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll } from 'vitest'

const openIn = (directory: string) => openRelationalStore({ kind: 'embedded', directory })

export async function openRelational(directory: string): Promise<RelationalStore> {
  await preparedDirectory('relational', directory, async path => (await openIn(path)).close())
  return openIn(directory)
}

export let relational: RelationalStore
/** The store's directory. A suite can create other files in this directory. */
export let directory: TemporaryDirectory

/** Call this function once, at the top level of a test file. */
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
