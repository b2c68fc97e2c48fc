// Processes only one request of a connection at a time. An HTTP/1.1 client may send further requests before it reads a response, and
// node:http immediately passes all of them to the handler. Without the one-at-a-time order, a few connections could have thousands of
// requests in progress, outside the fair queue.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Turn {
  readonly response: ServerResponse
  readonly begin: () => void
}

/**
 * One read of the socket, which happens before the socket can be paused, can contain some two thousand small requests. No legitimate client
 * sends more than 256 requests in advance.
 */
const maxWaiting = 256
/** Maximum number of requests that wait on a connection of a banned client. */
const maxWaitingOfBanned = 8

export interface TurnsOptions {
  readonly isBanned: (request: IncomingMessage) => boolean
  readonly onExcess: (request: IncomingMessage) => void
}

/**
 * Calls `begin` when all earlier requests of the connection have responses. Does not call `begin` for a connection that is known to have
 * ended. A connection with more than 256 waiting requests is closed and reported to `onExcess`.
 */
export function createTurns({
  isBanned,
  onExcess,
}: TurnsOptions): (request: IncomingMessage, response: ServerResponse, begin: () => void) => void {
  /** The waiting requests of each connection that has a request in progress. */
  const waiting = new WeakMap<Socket, Turn[]>()

  function start(socket: Socket, { response, begin }: Turn): void {
    // The next request begins in a later iteration of the event loop. Requests with immediate responses must not follow each other for
    // seconds while all other sockets wait.
    response.once('close', () => setImmediate(next, socket))
    begin()
  }

  function next(socket: Socket): void {
    const turns = waiting.get(socket)
    const turn = socket.destroyed ? undefined : turns?.shift()
    if (turn === undefined) waiting.delete(socket)
    // The socket stays paused while requests wait, so that further data stays in the client's memory. The last request can need the socket
    // to receive its body.
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
