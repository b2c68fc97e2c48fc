// Opens the socket of the shared PostgreSQL server (shared.ts) before the first suite. Stops the server after the last suite.
import type { SharedServer } from '../shared-server.ts'
import { sharedPostgresSocket, tellSharedPostgres } from './config.ts'
import { serveSharedPostgres } from './shared.ts'

let served: SharedServer | undefined

export async function setup(): Promise<void> {
  // Vitest calls this function once per project of a run. Only the first call has an effect.
  if (sharedPostgresSocket() !== undefined) return
  served = await serveSharedPostgres()
  tellSharedPostgres(served.socket)
}

export async function teardown(): Promise<void> {
  if (served === undefined) return
  tellSharedPostgres(undefined)
  await served.close()
}
