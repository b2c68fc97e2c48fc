// Opens and closes ports. The error for a busy port names the variable that changes the port.
import { createServer } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { AppError, isAppError } from '@svc-server/errors'

export interface ListenOptions {
  readonly host: string
  /** With 0, the system chooses a free port. */
  readonly port: number
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

/** Throws `port_in_use` or `config_invalid`. */
export const listen = async (server: NetServer, options: ListenOptions): Promise<AddressInfo> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onError = (error: Error) => reject(refusal(error, options))
  server.once('error', onError)
  server.listen({ host: options.host, port: options.port }, resolve)
  await promise
  server.off('error', onError)
  return server.address() as AddressInfo
}

export interface PortServer extends NetServer {
  /** Closes idle connections immediately. Closes each of the remaining connections as soon as that connection becomes idle. */
  closeIdleConnections(): void
  closeAllConnections(): void
}

const sweepMs = 20

/**
 * Accepts no more connections, and lets running requests finish. Closes the remaining connections after the grace period. Resolves when the
 * last connection is closed.
 */
export const closeServer = async (server: PortServer, { graceMs }: { readonly graceMs: number }): Promise<void> => {
  if (!server.listening) return
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  // A keep-alive connection can become idle after the call of `close`. Without the sweep, such a connection would keep the server open
  // until the client ends the connection.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await promise
  clearTimeout(timer)
  clearInterval(sweep)
}

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
 * Checks that all ports are free before a process opens any. One `port_in_use` error lists all busy ports with their variables. If
 * `listen` fails with any other error, this error is thrown unchanged.
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
