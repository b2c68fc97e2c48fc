// Manages the client's connections and closes idle connections. @clickhouse/client also has an idle timer, but does not clear the timer
// when a request is aborted before it gets its socket. 2.5 seconds later, the timer closes the socket even if a different query is using
// it.
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'

/** Lower than the idle limit of any server, so that no request uses a socket while the server closes it. */
const idleMs = 2_500

/** Keeps connections to the server of this URL between requests. */
export function createSockets(url: string, maxSockets: number): Agent {
  const options = { keepAlive: true, maxSockets }
  const agent = url.startsWith('https:') ? new TlsAgent(options) : new Agent(options)
  const idle = new WeakMap<Duplex, NodeJS.Timeout>()
  const keep = agent.keepSocketAlive.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.keepSocketAlive = socket => {
    idle.set(socket, setTimeout(() => socket.destroy(), idleMs).unref())
    // Returning false discards the socket.
    return keep(socket)
  }
  agent.reuseSocket = (socket, request) => {
    clearTimeout(idle.get(socket))
    reuse(socket, request)
  }
  return agent
}
