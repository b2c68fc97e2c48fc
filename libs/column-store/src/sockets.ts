// Manages the client's connections and closes idle ones. The client also has an idle timer, but never clears it when a request is
// aborted before it gets its socket. 2.5 seconds later the timer then closes the socket under whichever query uses it by that time.
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'

/** Lower than any server's own limit, so that no request uses a socket while the server closes it. */
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
