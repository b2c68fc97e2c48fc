// Limits the connections of a port for probes and metrics. Clients of the probe port are unauthenticated, and a kubelet that gets no
// connection restarts the process. Each address has a share of the slots, idle connections close soon, and some slots are reserved for
// probes.
import type { IncomingMessage, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionLimits, createClientAddresses, createConnectionLimits } from '@svc-server/http/listeners'

/** Number of slots for all clients. */
const maxConnections = 128
const maxOfAddress = 32
/**
 * Number of additional slots that only probes can use. A probe sends its request immediately, so a connection that has not sent a request
 * must yield its slot to a new connection. If the address of the new connection is at its own limit, that address loses its oldest
 * connection. If the address is below its limit but all slots are taken, the address with the most connections loses its oldest one.
 */
const maxReserved = 64
const maxReservedOfAddress = 2
const reservedMs = 10_000
/**
 * A connection that loses its slot stays open for a moment, because its request could already be on its way. Above this number of leaving
 * connections, a connection that loses its slot is closed immediately.
 */
const maxLeaving = 32
const leavingMs = 2_000

/** Time after which the server closes a connection that is not sending a request, even if it has sent requests before. */
const options: ServerOptions = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
}

export interface ProbeConnections {
  readonly connections: ConnectionLimits
  readonly server: ServerOptions
  /** False if the connection uses a slot that is reserved for probes and the request is not a probe. */
  mayAsk(request: IncomingMessage, isProbe: boolean): boolean
}

export function createProbeConnections(): ProbeConnections {
  const addresses = createClientAddresses([])
  const usual = createConnectionLimits({ maxConnections, perAddress: { max: maxOfAddress, addresses } })
  const reserved = new Map<Socket, string>()
  const leaving = new Set<Socket>()

  function closeAfter(ms: number, socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), ms)
    socket.once('close', () => clearTimeout(timer))
  }

  /** Gives the connection a reserved slot for a short time and then closes it. */
  function reserve(socket: Socket, address: string): void {
    reserved.set(socket, address)
    closeAfter(reservedMs, socket)
    socket.once('close', () => {
      reserved.delete(socket)
      leaving.delete(socket)
    })
  }

  /**
   * Frees the slot of an address's oldest connection. The connection closes a little later, because its request could already be on its
   * way.
   */
  function giveWay(address: string): void {
    for (const [socket, other] of reserved) {
      if (other !== address) continue
      reserved.delete(socket)
      if (leaving.size >= maxLeaving) return void socket.destroy()
      leaving.add(socket)
      return closeAfter(leavingMs, socket)
    }
  }

  function makeRoom(address: string): void {
    const counts = new Map<string, number>()
    for (const each of reserved.values()) counts.set(each, (counts.get(each) ?? 0) + 1)
    if ((counts.get(address) ?? 0) >= maxReservedOfAddress) return giveWay(address)
    if (reserved.size < maxReserved) return
    const [greediest] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))
    giveWay(greediest)
  }

  return {
    server: options,
    connections: {
      get open() {
        return usual.open + reserved.size + leaving.size
      },
      admit(socket) {
        if (usual.admit(socket) === 'admitted') return 'admitted'
        const address = addresses.ofPeer(socket.remoteAddress) ?? ''
        makeRoom(address)
        reserve(socket, address)
        return 'admitted'
      },
    },
    mayAsk: ({ socket }, isProbe) => isProbe || !(reserved.has(socket) || leaving.has(socket)),
  }
}
