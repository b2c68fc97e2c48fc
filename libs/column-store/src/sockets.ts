// Manages the client's connections, and closes idle connections. The idle timer of @clickhouse/client is not used, because the client does
// not clear it after some aborted requests. After 2.5 seconds, the timer would close the socket even during a different query.
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'

/** The client's idle limit is shorter than any server's, so that no request uses a socket that the server is closing. */
const idleMs = 2_500

/** Keeps connections to the server of this URL open between requests. */
export function createSockets(url: string, maxSockets: number): Agent {
  const options = { keepAlive: true, maxSockets }
  const agent = url.startsWith('https:') ? new TlsAgent(options) : new Agent(options)
  const idle = new WeakMap<Duplex, NodeJS.Timeout>()
  const keep = agent.keepSocketAlive.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.keepSocketAlive = socket => {
    idle.set(socket, setTimeout(() => socket.destroy(), idleMs).unref())
    // If the result is false, the socket is discarded.
    return keep(socket)
  }
  agent.reuseSocket = (socket, request) => {
    clearTimeout(idle.get(socket))
    reuse(socket, request)
  }
  return agent
}
