// Limits the connections of a port for probes and metrics. Any client can connect to this port. But a kubelet must always get a connection,
// because otherwise it restarts the process. Each address therefore has a share of the slots, idle connections close soon, and some slots
// are for probes only.
import type { IncomingMessage, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionLimits, createClientAddresses, createConnectionLimits } from '@svc-server/http/listeners'

const maxConnections = 128
const maxOfAddress = 32
/**
 * Additional slots for probes. A probe sends its request immediately, so a connection without a request must yield its slot to a new
 * connection. If the address of the new connection is at its limit, the oldest connection of this address yields. Otherwise, if no slot
 * is free, the server selects the address with the most connections, and the oldest connection of that address yields.
 */
const maxReserved = 64
const maxReservedOfAddress = 2
const reservedMs = 10_000
/**
 * A connection that has yielded its slot stays open for `leavingMs`, because a probe's request may already be on its way. If this many
 * such connections are already open, the next connection that yields its slot closes immediately.
 */
const maxLeaving = 32
const leavingMs = 2_000

/** Timeouts after which a connection that sends no request is closed. */
const options: ServerOptions = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
}

export interface ProbeConnections {
  readonly connections: ConnectionLimits
  readonly server: ServerOptions
  /** Returns true for a probe. Returns false for any other request whose connection occupies, or has yielded, a slot for probes. */
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

  /** Gives the connection a reserved slot. Closes the connection after a short time. */
  function reserve(socket: Socket, address: string): void {
    reserved.set(socket, address)
    closeAfter(reservedMs, socket)
    socket.once('close', () => {
      reserved.delete(socket)
      leaving.delete(socket)
    })
  }

  /** The oldest connection of the address yields its slot, and closes a little later. */
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
