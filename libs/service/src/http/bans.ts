// Addresses whose connections are closed as they come, for a while. Each connection can have two thousand
// requests parsed before it is ended for them, and whoever opens the next one at once would keep the loop
// busy with that alone.
import type { Server, Socket } from 'node:net'
import { gateConnections } from './gate.ts'

const banMs = 30_000
/** The oldest makes room: a list that grows is an attack of its own. */
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
  /** By address, when it ends; the oldest first. */
  const endsAtMs = new Map<string, number>()

  function isBanned(address: string): boolean {
    const endMs = endsAtMs.get(address)
    if (endMs === undefined) return false
    if (clock() < endMs) return true
    endsAtMs.delete(address)
    return false
  }

  return {
    add({ remoteAddress }) {
      if (remoteAddress === undefined) return
      endsAtMs.delete(remoteAddress)
      endsAtMs.set(remoteAddress, clock() + banMs)
      if (endsAtMs.size > maxAddresses) endsAtMs.delete(endsAtMs.keys().next().value!)
    },
    enforce(server) {
      gateConnections(server, socket => {
        const banned = endsAtMs.size > 0 && isBanned(socket.remoteAddress ?? '')
        if (banned) socket.destroy()
        return !banned
      })
    },
  }
}
