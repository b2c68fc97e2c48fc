// Opens the socket of the shared broker (shared.ts) before the first suite. Stops the broker after the last suite.
import { sharedInRun } from '../shared-server.ts'
import { sharedBrokerSocket, tellSharedBroker } from './config.ts'
import { startShared } from './shared.ts'

export const { setup, teardown } = sharedInRun({
  socketOfRun: sharedBrokerSocket,
  tell: tellSharedBroker,
  async start() {
    const { brokers, stop } = await startShared()
    return { address: brokers, stop }
  },
})
