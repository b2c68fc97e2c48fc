// Keeps the client's connections, and closes idle ones. The idle timer of @clickhouse/client itself is turned off: after some aborted
// requests, the client does not clear this timer, so the timer would close the socket during another query.
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'

/**
 * Time after which the client closes an idle connection. Servers keep an idle connection open for longer than this time, so no request
 * uses a socket that a server is closing.
 */
const idleMs = 2_500

export function createSockets(url: string, maxSockets: number): Agent {
  const options = { keepAlive: true, maxSockets }
  const agent = url.startsWith('https:') ? new TlsAgent(options) : new Agent(options)
  const idle = new WeakMap<Duplex, NodeJS.Timeout>()
  const keep = agent.keepSocketAlive.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.keepSocketAlive = socket => {
    idle.set(socket, setTimeout(() => socket.destroy(), idleMs).unref())
    // False: the socket is discarded.
    return keep(socket)
  }
  agent.reuseSocket = (socket, request) => {
    clearTimeout(idle.get(socket))
    reuse(socket, request)
  }
  return agent
}
