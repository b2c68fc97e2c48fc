// What a run of the tests sets up before its first suite and ends with the last: the broker that suites share (shared.ts).
import { sharedBrokerSocket, sharedBrokerVariable } from './config.ts'
import { type SharedBroker, serveSharedBroker } from './shared.ts'

let served: SharedBroker | undefined

export async function setup(): Promise<void> {
  // Each project of a run sets up; the first one is for all of them.
  if (sharedBrokerSocket() !== undefined) return
  served = await serveSharedBroker()
  process.env[sharedBrokerVariable] = served.socket
}

export async function teardown(): Promise<void> {
  if (served === undefined) return
  delete process.env[sharedBrokerVariable]
  await served.close()
}
