// No other file in this folder reads the environment.

export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env['PATH'] ?? ''

// Path of a socket. All suites of a run find their shared PostgreSQL server through this socket.
const socketVariable = 'TEST_POSTGRES_SOCKET'

export const sharedPostgresSocket = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[socketVariable]

/** Sets the path of the socket for all processes that start later. If `socket` is undefined, these processes have no shared server. */
export function tellSharedPostgres(socket: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (socket === undefined) delete env[socketVariable]
  else env[socketVariable] = socket
}
