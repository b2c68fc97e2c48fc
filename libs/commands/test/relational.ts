// Each suite gets a relational store in the state after a first start. A test must read the exported binding only while it runs, because
// the binding changes.
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll } from 'vitest'

export let relational: RelationalStore
/** A directory for other files of the suite. */
export let directory: TemporaryDirectory

/** Call this function once, at the top level of a test file. */
export function theFileHasARelationalStore(): void {
  beforeAll(async () => {
    directory = await temporaryDirectory()
    relational = await openTestStore()
  })
  afterAll(async () => {
    await relational.close()
    await directory.remove()
  })
}
