// Opens the socket of the shared broker (shared.ts) before the first suite. Stops the broker after the last suite.
import type { SharedServer } from '../shared-server.ts'
import { sharedBrokerSocket, tellSharedBroker } from './config.ts'
import { serveSharedBroker } from './shared.ts'

let served: SharedServer | undefined

export async function setup(): Promise<void> {
  // Vitest calls this function once per project of a run. Only the first call has an effect.
  if (sharedBrokerSocket() !== undefined) return
  served = await serveSharedBroker()
  tellSharedBroker(served.socket)
}

export async function teardown(): Promise<void> {
  if (served === undefined) return
  tellSharedBroker(undefined)
  await served.close()
}
