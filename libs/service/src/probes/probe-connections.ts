// Connections of a port of probes and metrics. Whoever reaches it has shown no key, and a kubelet that finds no slot restarts the process: so an address
// has its share of them, what asks nothing ends soon, and some are for probes alone.
import type { IncomingMessage, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionLimits, createClientAddresses, createConnectionLimits } from '@svc-server/http/listeners'

/** In all: many for those who ask, few for the process. */
const maxConnections = 128
const maxOfAddress = 32
/** Beside them, for probes alone. A probe asks at once, so whoever is slow gives way to the next one: first of its own address, then of the address that has most. */
const maxReserved = 64
const maxReservedOfAddress = 2
const reservedMs = 10_000

/** A connection that has not asked within this time is closed; so is one that has, and asks nothing more. */
const options: ServerOptions = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
}

export interface ProbeConnections {
  readonly connections: ConnectionLimits
  readonly server: ServerOptions
  /** False: its connection is one of those for probes, and it is none. */
  mayAsk(request: IncomingMessage, isProbe: boolean): boolean
}

export function createProbeConnections(): ProbeConnections {
  const addresses = createClientAddresses([])
  const usual = createConnectionLimits({ maxConnections, perAddress: { max: maxOfAddress, addresses } })
  const reserved = new Map<Socket, string>()

  /** Not for long. */
  function reserve(socket: Socket, address: string): void {
    reserved.set(socket, address)
    const timer = setTimeout(() => socket.destroy(), reservedMs)
    socket.once('close', () => {
      clearTimeout(timer)
      reserved.delete(socket)
    })
  }

  /** The oldest one of an address. */
  function giveWay(address: string): void {
    for (const [socket, other] of reserved) {
      if (other !== address) continue
      reserved.delete(socket)
      return void socket.destroy()
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
        return usual.open + reserved.size
      },
      admit(socket) {
        if (usual.admit(socket) === 'admitted') return 'admitted'
        const address = addresses.ofPeer(socket.remoteAddress) ?? ''
        makeRoom(address)
        reserve(socket, address)
        return 'admitted'
      },
    },
    mayAsk: ({ socket }, isProbe) => isProbe || !reserved.has(socket),
  }
}
