// Addresses whose connections are closed as they come, for a while. Each connection can have two thousand
// requests parsed before it is ended for them, and whoever opens the next one at once would keep the loop
// busy with that alone.
import type { Server, Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { gateConnections } from './gate.ts'

const banMs = 30_000
/** The one that was banned first makes room: a list that grows is an attack of its own. */
const maxAddresses = 10_000

export interface Bans {
  /** The address of this connection. */
  add(socket: Socket): void
  /**
   * Closes connections of those addresses before a byte is parsed. For a server that is not listening yet.
   */
  enforce(server: Server): void
}

export function createBans(clock: () => number = () => performance.now()): Bans {
  const banned = new LRUCache<string, true>({ max: maxAddresses, ttl: banMs, ttlResolution: 0, perf: { now: clock } })
  return {
    add({ remoteAddress }) {
      if (remoteAddress !== undefined) banned.set(remoteAddress, true)
    },
    enforce(server) {
      gateConnections(server, socket => {
        const isBanned = banned.size > 0 && banned.has(socket.remoteAddress ?? '')
        if (isBanned) socket.destroy()
        return !isBanned
      })
    },
  }
}
