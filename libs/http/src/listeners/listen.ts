// Opens and closes a port, for every service. The error for a busy port names the variable that changes the port.
import { createServer } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { AppError, isAppError } from '@svc-server/errors'

export interface ListenOptions {
  readonly host: string
  /** Port 0 lets the system choose a port. */
  readonly port: number
  /** The environment variable that sets the port. */
  readonly variable: string
}

const refusal = (error: NodeJS.ErrnoException, { host, port, variable }: ListenOptions): Error => {
  const params = { host, port, variable }
  switch (error.code) {
    case 'EADDRINUSE':
      return new AppError('port_in_use', `Port ${port} on ${host} is in use. Set ${variable} to a free port.`, params, { cause: error })
    case 'EACCES':
      return new AppError('config_invalid', `${variable}=${port}: this user is not allowed to open port ${port}.`, params, { cause: error })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AppError('config_invalid', `SVC_BIND=${host}: this machine has no such address.`, params, { cause: error })
    default:
      return error
  }
}

/** Resolves with the address when the server listens. Throws `port_in_use` or `config_invalid`. */
export const listen = async (server: NetServer, options: ListenOptions): Promise<AddressInfo> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onError = (error: Error) => reject(refusal(error, options))
  server.once('error', onError)
  server.listen({ host: options.host, port: options.port }, resolve)
  await promise
  server.off('error', onError)
  return server.address() as AddressInfo
}

/** A server of any HTTP version. */
export interface PortServer extends NetServer {
  /** Closes idle connections immediately, and the others as soon as they are idle. */
  closeIdleConnections(): void
  closeAllConnections(): void
}

const sweepMs = 20

/**
 * Accepts no more connections, lets running requests finish, and closes the remaining connections after the grace period. Resolves when the
 * last connection is closed, or immediately if the server does not listen.
 */
export const closeServer = async (server: PortServer, { graceMs }: { readonly graceMs: number }): Promise<void> => {
  if (!server.listening) return
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  // Without this sweep, a keep-alive connection that has just become idle would delay the close until its client ends the connection.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await promise
  clearTimeout(timer)
  clearInterval(sweep)
}

/** Throws `listen`'s error for this port. */
async function requireFree(options: ListenOptions): Promise<void> {
  const server = createServer()
  await listen(server, options)
  await closeServer(server, { graceMs: 0 })
}

function allBusy(host: string, busy: readonly AppError[]): AppError {
  if (busy.length === 1) return busy[0]!
  const named = busy.map(({ params: { port, variable } }) => `${port} (${variable})`).join(', ')
  return new AppError(
    'port_in_use',
    `These ports on ${host} are in use: ${named}. Set these variables to free ports, or stop the processes that use the ports.`,
    { host },
  )
}

/**
 * Checks that ports of one host are free before a process opens them. Throws one `port_in_use` error that lists all busy ports with their
 * variables. Throws `listen`'s error for other failures.
 */
export async function requireFreePorts(ports: readonly ListenOptions[]): Promise<void> {
  const busy: AppError[] = []
  for (const options of ports)
    await requireFree(options).catch(error => {
      if (!isAppError(error) || error.code !== 'port_in_use') throw error
      busy.push(error)
    })
  if (busy.length > 0) throw allBusy(ports[0]!.host, busy)
}
