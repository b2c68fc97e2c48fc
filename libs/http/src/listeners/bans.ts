// Refuses, for some time, the connections of addresses that were banned. The server can parse up to two thousand requests of a connection
// before it ends the connection, so a client that immediately reconnects would keep the event loop busy. An address that is banned can
// still open a few connections per second (on probation), so that other clients with the same address can connect.
import type { IncomingMessage } from 'node:http'
import { BlockList, type Server, type Socket, type SocketAddress } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { ClientAddresses } from './client-address.ts'
import { createHandshakeShares } from './handshakes.ts'

const banMs = 30_000
/** Beyond this number of addresses, the oldest ban is dropped, because an unlimited list could itself be attacked. */
const maxAddresses = 10_000
/**
 * Number of connections per second that an address can still open while it is banned. If one of these connections exceeds a limit, it is
 * closed immediately.
 */
const onProbation = 4
/**
 * Number of connections per second that all banned addresses together can still open, so that hundreds of them cannot keep the event loop
 * busy.
 */
const allOnProbation = 32

type From = Pick<IncomingMessage, 'socket' | 'headers'>

/**
 * If a client is behind a trusted proxy, the header of the proxy identifies it. The proxy itself is never banned, because it also forwards
 * other clients.
 */
export interface Bans {
  /**
   * Bans the client that has sent this request, and closes all of its connections. Does nothing if the address of the client is unknown.
   */
  add(request: From): void
  /** Bans the address of this connection, unless it belongs to a trusted proxy. */
  addPeer(remoteAddress: string | undefined): void
  /** True if the client that has sent this request is banned. */
  has(request: From): boolean
  /** True if the address of this connection is banned. */
  hasPeer(remoteAddress: string | undefined): boolean
  /** Closes most connections of banned addresses before any byte is parsed. Call this before the server listens. */
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
    // All connections are destroyed at once. If the server ended them in the usual way, it would first parse the data that they have
    // already sent.
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

/** A connection releases its share immediately, because a ban limits only the rate of new connections and not their number. */
function isAdmitted(release: (() => void) | undefined): boolean {
  release?.()
  return release !== undefined
}

/** Node looks at this list before it creates a socket, and creating the socket is most of what a connection costs. */
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
