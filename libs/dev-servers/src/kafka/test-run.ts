// What a run of the tests sets up before its first suite and ends with the last: the broker that suites share
// (shared.ts).
import { sharedBrokerSocket, tellSharedBroker } from './config.ts'
import { type SharedBroker, serveSharedBroker } from './shared.ts'

let served: SharedBroker | undefined

export async function setup(): Promise<void> {
  // Each project of a run sets up; the first one is for all of them.
  if (sharedBrokerSocket() !== undefined) return
  served = await serveSharedBroker()
  tellSharedBroker(served.socket)
}

export async function teardown(): Promise<void> {
  if (served === undefined) return
  tellSharedBroker(undefined)
  await served.close()
}
