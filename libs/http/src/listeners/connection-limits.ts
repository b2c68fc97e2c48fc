// Limits the number of connections of a process, in total and per address. A client with thousands of connections would take the file
// descriptors that the stores need.
import { readFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import type { ClientAddresses } from './client-address.ts'
import { gateConnections } from './gate.ts'

export interface ConnectionLimitOptions {
  readonly maxConnections: number
  /** Absent: no limit per address. */
  readonly perAddress?: { readonly max: number; readonly addresses: Pick<ClientAddresses, 'ofPeer'> }
  readonly onRefused?: (limit: 'all' | 'address') => void
}

export interface ConnectionLimits {
  /** Number of open connections. */
  readonly open: number
  /** Counts the connection until it closes. If the connection exceeds a limit, returns this limit, and does not count the connection. */
  admit(socket: Socket): 'admitted' | 'all' | 'address'
}

/** Several servers can share the returned object. */
export function createConnectionLimits({ maxConnections, perAddress, onRefused }: ConnectionLimitOptions): ConnectionLimits {
  const byAddress = new Map<string, number>()
  let open = 0

  function refusal(address: string | undefined): 'all' | 'address' | undefined {
    if (open >= maxConnections) return 'all'
    if (address === undefined || perAddress === undefined) return undefined
    return (byAddress.get(address) ?? 0) >= perAddress.max ? 'address' : undefined
  }

  return {
    get open() {
      return open
    },
    admit(socket) {
      const address = perAddress?.addresses.ofPeer(socket.remoteAddress)
      const refused = refusal(address)
      if (refused !== undefined) {
        onRefused?.(refused)
        return refused
      }
      open++
      if (address !== undefined) byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
      socket.once('close', () => {
        open--
        if (address === undefined) return
        const left = byAddress.get(address)! - 1
        if (left === 0) byAddress.delete(address)
        else byAddress.set(address, left)
      })
      return 'admitted'
    },
  }
}

/** Maximum number of refused connections that wait for their response. Further refused connections are closed without a response. */
const maxLingering = 32
const lingerMs = 2_000
const answers = {
  all: 'HTTP/1.1 503 Service Unavailable',
  address: 'HTTP/1.1 429 Too Many Requests',
} as const

/**
 * A connection beyond the limits gets a response when its first bytes arrive, and is then closed. The bytes are not parsed. With `silent`,
 * the connection gets no response, because a TLS client cannot read a response before the handshake. Must be called before the server
 * listens.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, { silent = false } = {}): void {
  let lingering = 0

  function refuse(socket: Socket, limit: keyof typeof answers): void {
    socket.on('error', () => {})
    if (silent || lingering >= maxLingering) return void socket.destroy()
    lingering++
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('data', () => socket.end(`${answers[limit]}\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`))
    socket.once('end', () => socket.end())
    socket.once('close', () => {
      clearTimeout(timer)
      lingering--
    })
    socket.resume()
  }

  gateConnections(server, socket => {
    const admitted = limits.admit(socket)
    if (admitted !== 'admitted') refuse(socket, admitted)
    return admitted === 'admitted'
  })
}

/** Returns the maximum number of open files of this process, or undefined if the system does not report it. */
export function descriptorLimit(): number | undefined {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return line === null ? undefined : Number(line[1])
  } catch {
    const { userLimits } = process.report.getReport() as unknown as {
      readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
    }
    const soft = userLimits?.open_files?.soft
    return typeof soft === 'number' ? soft : undefined
  }
}

const usualLimit = 1024

/**
 * Returns the maximum number of connections for a number of file descriptors. Some descriptors stay free for the stores, the log's files
 * and the probes: a quarter of all descriptors or 384, whichever is more, but never more than half of all descriptors.
 */
export function connectionsWithin(descriptors: number = usualLimit): number {
  return descriptors - Math.min(Math.max(384, Math.ceil(descriptors / 4)), Math.ceil(descriptors / 2))
}
