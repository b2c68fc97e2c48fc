// Each suite gets a relational store in which all migrations have run, as after the first start of a server. A test must read the exported
// bindings only while it runs, because the bindings change.
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll } from 'vitest'

export let relational: RelationalStore
/** A temporary directory for files of the suite. The relational store has no files in this directory. */
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
