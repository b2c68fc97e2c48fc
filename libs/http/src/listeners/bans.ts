// Addresses whose connections are closed as they come, for a while. Each connection can have two thousand
// requests parsed before it is ended for them, and whoever opens the next one at once would keep the loop
// busy with that alone.
import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { ClientAddresses } from './client-address.ts'
import { gateConnections } from './gate.ts'

const banMs = 30_000
/** The one that was banned first makes room: a list that grows is an attack of its own. */
const maxAddresses = 10_000

type From = Pick<IncomingMessage, 'socket' | 'headers'>

/** A client behind a trusted proxy is known by what the proxy says of it, and the proxy itself is never banned: it speaks for others. */
export interface Bans {
  /** The client that sent this request, if it is known. */
  add(request: From): void
  /** The address of this connection, unless it is a trusted proxy's. */
  addPeer(remoteAddress: string | undefined): void
  /** Of a request that a proxy brings; connections of banned addresses themselves do not come so far. */
  has(request: From): boolean
  /**
   * Closes connections of those addresses before a byte is parsed. For a server that is not listening yet.
   */
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
