// What stands before a server's own handling of a connection.
import type { Server, Socket } from 'node:net'

/**
 * Only connections that pass are handed on; of the others whoever refused them takes care. For a server that
 * is not listening yet.
 */
export function gateConnections(server: Server, passes: (socket: Socket) => boolean): void {
  const serve = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!passes(socket)) return
    for (const listener of serve) listener.call(server, socket)
  })
}
