// Connections of a port for probes and metrics. Its clients are unauthenticated, and a kubelet that finds no slot restarts the
// process. Each address therefore has a share of the slots, idle connections close soon, and some slots are reserved for
// probes.
import type { IncomingMessage, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionLimits, createClientAddresses, createConnectionLimits } from '@svc-server/http/listeners'

/** Total slots: enough for many clients, cheap for the process. */
const maxConnections = 128
const maxOfAddress = 32
/**
 * Additional slots for probes alone. A probe sends its request at once, so a slow connection yields its slot: first one of the
 * same address, then one of the address with the most connections.
 */
const maxReserved = 64
const maxReservedOfAddress = 2
const reservedMs = 10_000
/** Connections that gave up their slot and still get a response to a request that is on its way. Further ones close at once. */
const maxLeaving = 32
const leavingMs = 2_000

/** The server closes a connection that sends no request within this time, also after earlier requests. */
const options: ServerOptions = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
}

export interface ProbeConnections {
  readonly connections: ConnectionLimits
  readonly server: ServerOptions
  /** False when the connection uses a slot reserved for probes and the request is not a probe. */
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

  /** The slot is reserved only briefly. */
  function reserve(socket: Socket, address: string): void {
    reserved.set(socket, address)
    closeAfter(reservedMs, socket)
    socket.once('close', () => {
      reserved.delete(socket)
      leaving.delete(socket)
    })
  }

  /** Takes the slot of an address's oldest connection. Its request may be on its way, so it closes a little later. */
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
