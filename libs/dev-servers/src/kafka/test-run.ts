// Sets up the suites' shared broker (shared.ts) before a test run's first suite, and ends it after the last suite.
import { sharedBrokerSocket, tellSharedBroker } from './config.ts'
import { type SharedBroker, serveSharedBroker } from './shared.ts'

let served: SharedBroker | undefined

export async function setup(): Promise<void> {
  // Vitest calls this setup for each project of a run. Only the first call does the work.
  if (sharedBrokerSocket() !== undefined) return
  served = await serveSharedBroker()
  tellSharedBroker(served.socket)
}

export async function teardown(): Promise<void> {
  if (served === undefined) return
  tellSharedBroker(undefined)
  await served.close()
}
