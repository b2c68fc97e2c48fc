// The client's connections, and when an idle one is closed. The client's own timer for that is never cleared where a request is aborted before it has its
// socket, and 2.5 seconds later it ends the query that uses the socket by then, somebody else's.
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'

/** Below any server's own limit, so a socket is not used in the moment in which the server closes it. */
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
    // False: the socket is not kept.
    return keep(socket)
  }
  agent.reuseSocket = (socket, request) => {
    clearTimeout(idle.get(socket))
    reuse(socket, request)
  }
  return agent
}
