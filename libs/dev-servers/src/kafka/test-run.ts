// Sets up the common broker of the suites (shared.ts) before the first suite of a run, and ends it after the last one.
import { sharedBrokerSocket, tellSharedBroker } from './config.ts'
import { type SharedBroker, serveSharedBroker } from './shared.ts'

let served: SharedBroker | undefined

export async function setup(): Promise<void> {
  // Vitest calls this setup once for each project in a run. Only the first call has an effect.
  if (sharedBrokerSocket() !== undefined) return
  served = await serveSharedBroker()
  tellSharedBroker(served.socket)
}

export async function teardown(): Promise<void> {
  if (served === undefined) return
  tellSharedBroker(undefined)
  await served.close()
}
