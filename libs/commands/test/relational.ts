// Gives each suite a relational store in the state after a first start. The exported binding changes, so tests must read it only while they
// run.
import { openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import { preparedDirectory, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll } from 'vitest'

const openIn = (directory: string) => openRelationalStore({ kind: 'embedded', directory })

export async function openRelational(directory: string): Promise<RelationalStore> {
  await preparedDirectory('relational', directory, async path => (await openIn(path)).close())
  return openIn(directory)
}

export let relational: RelationalStore
/** The store's directory, in which a suite can create other files. */
export let directory: TemporaryDirectory

/** Must be called once, at the top level of a test file. */
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
