// Each test file has one engine and one log. Each test has a new database without tables. A test must read the exported bindings only while
// it runs, because the next test changes the bindings.
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicSpecs } from '@svc-server/schema/topics'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, beforeEach } from 'vitest'

const password = 'test-password'

export let log: EventLog
export let database: ColumnStore

/** Call this function once, at the top level of a test file. The names of the databases begin with `prefix`. */
export function eachTestHasADatabase(prefix: string, enabledReaders: readonly string[]): void {
  let directory: TemporaryDirectory
  let engine: Engine
  let number = 0
  const connect = (name: string) =>
    createColumnStore({ url: engine.url, user: engine.user, password, database: name, requestTimeoutMs: 20_000 })

  beforeAll(async () => {
    directory = await temporaryDirectory()
    engine = await startEngine({ dataDir: `${directory.path}/engine`, port: 0, password })
    log = await openEmbeddedLog({ directory: `${directory.path}/log`, topics: topicSpecs({ embedded: true, enabledReaders }) })
  })
  afterAll(async () => {
    await log.close()
    await engine.stop()
    await directory.remove()
  })
  beforeEach(async () => {
    const name = `${prefix}_${number++}`
    const admin = connect(engine.database)
    await admin.command(`CREATE DATABASE ${name}`)
    await admin.close()
    const opened = connect(name)
    database = opened
    return () => opened.close()
  })
}
