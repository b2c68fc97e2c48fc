// Processes only one request of a connection at a time. An HTTP/1.1 client may send further requests before it reads a response, and
// node:http passes all of these requests to the handler immediately. Without this module, a few connections could have thousands of
// requests in progress, outside the fair queue.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Turn {
  readonly response: ServerResponse
  readonly begin: () => void
}

/**
 * A single read of the socket can contain some two thousand small requests. No legitimate client sends more than 256 requests in advance.
 */
const maxWaiting = 256
/** Maximum for a banned client. */
const maxWaitingOfBanned = 8

export interface TurnsOptions {
  readonly isBanned: (request: IncomingMessage) => boolean
  readonly onExcess: (request: IncomingMessage) => void
}

/**
 * Calls `begin` when all earlier requests of the connection have responses, unless the connection has ended. A connection with too many
 * waiting requests is closed and reported to `onExcess`.
 */
export function createTurns({
  isBanned,
  onExcess,
}: TurnsOptions): (request: IncomingMessage, response: ServerResponse, begin: () => void) => void {
  const waiting = new WeakMap<Socket, Turn[]>()

  function start(socket: Socket, { response, begin }: Turn): void {
    // The next request begins in a later iteration of the event loop, so that requests with immediate responses do not block other sockets
    // for seconds.
    response.once('close', () => setImmediate(next, socket))
    begin()
  }

  function next(socket: Socket): void {
    const turns = waiting.get(socket)
    const turn = socket.destroyed ? undefined : turns?.shift()
    if (turn === undefined) waiting.delete(socket)
    // While requests wait, the socket is paused and further data stays with the client. When the last request starts, the socket resumes,
    // because the request can have a body that has not arrived yet.
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
