// Opens the socket of the shared broker (shared.ts), and ends the broker after the last suite.
import { sharedBrokerSocket, tellSharedBroker } from './config.ts'
import { type SharedBroker, serveSharedBroker } from './shared.ts'

let served: SharedBroker | undefined

export async function setup(): Promise<void> {
  // Vitest calls this once per project in a run, and only the first call counts.
  if (sharedBrokerSocket() !== undefined) return
  served = await serveSharedBroker()
  tellSharedBroker(served.socket)
}

export async function teardown(): Promise<void> {
  if (served === undefined) return
  tellSharedBroker(undefined)
  await served.close()
}
