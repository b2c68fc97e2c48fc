// Refuses the connections of banned addresses for some time. Without bans, a client that reconnects could keep the event loop busy, because
// the server can parse two thousand requests before it ends a connection. A banned address can still open a few connections per second,
// because other clients may share it.
import type { IncomingMessage } from 'node:http'
import { BlockList, type Server, type Socket, type SocketAddress } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { ClientAddresses } from './client-address.ts'
import { createHandshakeShares } from './handshakes.ts'

const banMs = 30_000
/** Above this number of bans, the oldest ban is dropped, because an unlimited list could itself be attacked. */
const maxAddresses = 10_000
/**
 * Connections per second that a banned address can still open. If one of these connections exceeds a limit, for example the limit on
 * waiting requests, the server closes this connection immediately.
 */
const onProbation = 4
/**
 * Connections per second that all banned addresses together can open. Without this limit, hundreds of addresses could block the event loop.
 */
const allOnProbation = 32

type From = Pick<IncomingMessage, 'socket' | 'headers'>

/** A trusted proxy is never banned, because it also forwards other clients. */
export interface Bans {
  /** Bans the client that has sent this request, and closes all of its connections. Does nothing if the client's address is unknown. */
  add(request: From): void
  /** Bans this address, unless the address belongs to a trusted proxy. */
  addPeer(remoteAddress: string | undefined): void
  has(request: From): boolean
  hasPeer(remoteAddress: string | undefined): boolean
  /** Makes the server close most new connections of banned addresses without parsing any byte. Call this before the server listens. */
  enforce(server: Server): void
}

export function createBans(addresses: ClientAddresses, clock: () => number = () => performance.now()): Bans {
  const banned = new LRUCache<string, true>({ max: maxAddresses, ttl: banMs, ttlResolution: 0, perf: { now: clock } })
  const connected = new Map<string, Set<Socket>>()
  const begin = createHandshakeShares(onProbation, clock)
  const beginOfAll = createHandshakeShares(allOnProbation, clock)

  function ban(address: string | undefined): void {
    if (address === undefined) return
    const isNew = !banned.has(address)
    banned.set(address, true)
    if (!isNew) return
    // Destroys all connections of the client immediately. If the server ended the connections in the usual way, the server would first
    // parse the data that has already arrived.
    for (const socket of connected.get(address) ?? []) socket.destroy()
  }

  function keep(address: string, socket: Socket): void {
    const sockets = connected.get(address) ?? new Set()
    connected.set(address, sockets.add(socket))
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) connected.delete(address)
    })
  }

  function isRefused(address: string | undefined): boolean {
    if (address === undefined || !banned.has(address)) return false
    return !isAdmitted(begin(address)) || !isAdmitted(beginOfAll(''))
  }

  const isBanned = (address: string | undefined) => address !== undefined && banned.has(address)

  return {
    add: request => ban(addresses.ofRequest(request)),
    addPeer: remoteAddress => ban(addresses.ofPeer(remoteAddress)),
    has: request => banned.size > 0 && isBanned(addresses.ofRequest(request)),
    hasPeer: remoteAddress => banned.size > 0 && isBanned(addresses.ofPeer(remoteAddress)),
    enforce(server) {
      const blockList = new Refusals(address => isRefused(addresses.ofPeer(address)))
      Object.assign(server, { blockList })
      server.on('connection', (socket: Socket) => {
        const address = addresses.ofPeer(socket.remoteAddress)
        if (address !== undefined) keep(address, socket)
      })
    },
  }
}

/**
 * Returns whether a banned address may open this connection. A ban limits the new connections per second, but not the open connections. The
 * function therefore calls `release` immediately, so that this connection does not count as open.
 */
function isAdmitted(release: (() => void) | undefined): boolean {
  release?.()
  return release !== undefined
}

/** Node checks a block list before it creates a socket. Creating the socket is the expensive part of a connection. */
class Refusals extends BlockList {
  readonly #isRefused: (address: string) => boolean

  constructor(isRefused: (address: string) => boolean) {
    super()
    this.#isRefused = isRefused
  }

  override check(address: string | SocketAddress): boolean {
    return this.#isRefused(typeof address === 'string' ? address : address.address)
  }
}
