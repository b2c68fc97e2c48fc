// One request of a connection at a time. HTTP/1.1 lets a client send the next ones before it has read an
// answer; node:http hands all of them to the handler at once, so a few connections could have thousands of
// requests at work that count as nobody's turn.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Turn {
  readonly response: ServerResponse
  readonly begin: () => void
}

/**
 * What a read of the socket holds is parsed before it can be paused: some two thousand small requests. Nobody
 * who pipelines in earnest sends as many.
 */
const maxWaiting = 256

/**
 * Calls `begin` once the connection’s requests before this one are answered; never, once the connection is
 * known to have ended. A connection on which more than 256 wait is ended, and `onExcess` told.
 */
export function createTurns(
  onExcess: (request: IncomingMessage) => void,
): (request: IncomingMessage, response: ServerResponse, begin: () => void) => void {
  /** What waits on a connection that is at work. */
  const waiting = new WeakMap<Socket, Turn[]>()

  function start(socket: Socket, { response, begin }: Turn): void {
    // In another turn of the loop: requests that are answered at once would otherwise follow each other for
    // seconds, with nobody else's socket read.
    response.once('close', () => setImmediate(next, socket))
    begin()
  }

  function next(socket: Socket): void {
    const turns = waiting.get(socket)
    const turn = socket.destroyed ? undefined : turns?.shift()
    if (turn === undefined) waiting.delete(socket)
    // Nothing more is read while something waits: what a client pipelines stays in its own memory. The last
    // one may still await its body.
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
    if (turns.length >= maxWaiting) {
      waiting.delete(socket)
      onExcess(request)
      return void socket.destroy()
    }
    turns.push({ response, begin })
    socket.pause()
  }
}
