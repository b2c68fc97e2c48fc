// Processes one request of a connection at a time. HTTP/1.1 lets a client send more requests before it reads a response, and node:http
// passes all of them to the handler immediately. Without this limit, a few connections could have thousands of requests in progress outside
// the fair queue.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Turn {
  readonly response: ServerResponse
  readonly begin: () => void
}

/**
 * One read of the socket is parsed before the socket can be paused: some two thousand small requests. No legitimate client pipelines more
 * than 256 requests.
 */
const maxWaiting = 256
/** Maximum waiting requests on a later connection of a client that has just been banned. */
const maxWaitingOfBanned = 8

export interface TurnsOptions {
  readonly isBanned: (request: IncomingMessage) => boolean
  readonly onExcess: (request: IncomingMessage) => void
}

/**
 * Calls `begin` when the connection's earlier requests have responses. `begin` is never called after the connection is known to have ended.
 * A connection with more than 256 waiting requests is closed and reported to `onExcess`.
 */
export function createTurns({
  isBanned,
  onExcess,
}: TurnsOptions): (request: IncomingMessage, response: ServerResponse, begin: () => void) => void {
  /** The waiting requests of each connection on which a request is in progress. */
  const waiting = new WeakMap<Socket, Turn[]>()

  function start(socket: Socket, { response, begin }: Turn): void {
    // The next request is deferred to a later loop iteration. Without the delay, requests with immediate responses would follow one another
    // for seconds while all other sockets wait.
    response.once('close', () => setImmediate(next, socket))
    begin()
  }

  function next(socket: Socket): void {
    const turns = waiting.get(socket)
    const turn = socket.destroyed ? undefined : turns?.shift()
    if (turn === undefined) waiting.delete(socket)
    // The socket stays paused while requests wait, so that pipelined data stays in the client's memory. The last request may still be
    // waiting for its body.
    if (turns?.length === 0) socket.resume()
    if (turn !== undefined) start(socket, turn)
  }

  return (request, response, begin) => {
    const { socket } = request
    if (socket.destroyed) return
    const turns = waiting.get(socket)
    if (turns === undefined) {
      waiting.set(socket, [])
      return start(socket, { response, begin })
    }
    if (turns.length >= maxWaiting || (turns.length >= maxWaitingOfBanned && isBanned(request))) {
      waiting.delete(socket)
      onExcess(request)
      return void socket.destroy()
    }
    turns.push({ response, begin })
    socket.pause()
  }
}
