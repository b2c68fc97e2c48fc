// Temporarily closes connections of banned addresses on arrival. A connection can have two thousand requests parsed before the
// server ends it, and a client that reconnects at once would keep the event loop busy.
import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { ClientAddresses } from './client-address.ts'
import { gateConnections } from './gate.ts'

const banMs = 30_000
/** Beyond this size, the oldest ban is dropped: an unbounded list could itself be attacked. */
const maxAddresses = 10_000

type From = Pick<IncomingMessage, 'socket' | 'headers'>

/**
 * A client behind a trusted proxy is identified by the proxy's header. The proxy itself is never banned, because it forwards
 * other clients.
 */
export interface Bans {
  /** Bans the client that sent this request, if known. */
  add(request: From): void
  /** Bans the address of this connection, unless it is a trusted proxy. */
  addPeer(remoteAddress: string | undefined): void
  /** Whether the client of a proxied request is banned; direct connections of banned addresses are closed earlier. */
  has(request: From): boolean
  /** Closes connections of banned addresses before parsing any byte. Call it before the server listens. */
  enforce(server: Server): void
}

export function createBans(addresses: ClientAddresses, clock: () => number = () => performance.now()): Bans {
  const banned = new LRUCache<string, true>({ max: maxAddresses, ttl: banMs, ttlResolution: 0, perf: { now: clock } })
  return {
    add(request) {
      const address = addresses.ofRequest(request)
      if (address !== undefined) banned.set(address, true)
    },
    addPeer(remoteAddress) {
      const address = addresses.ofPeer(remoteAddress)
      if (address !== undefined) banned.set(address, true)
    },
    has: request => banned.size > 0 && banned.has(addresses.ofRequest(request) ?? ''),
    enforce(server) {
      gateConnections(server, socket => {
        const isBanned = banned.size > 0 && banned.has(addresses.ofPeer(socket.remoteAddress) ?? '')
        if (isBanned) socket.destroy()
        return !isBanned
      })
    },
  }
}
