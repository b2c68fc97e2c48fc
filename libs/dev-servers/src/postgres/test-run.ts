// Opens the socket of the shared PostgreSQL server (shared.ts) before the first suite. Stops the server after the last suite.
import { sharedInRun } from '../shared-server.ts'
import { sharedPostgresSocket, tellSharedPostgres } from './config.ts'
import { startPostgres } from './server.ts'

export const { setup, teardown } = sharedInRun({
  socketOfRun: sharedPostgresSocket,
  tell: tellSharedPostgres,
  async start() {
    // Several suites run at the same time, and each can open several pools of connections.
    const { url, stop } = await startPostgres({ maxConnections: 500 })
    return { address: url, stop }
  },
})
