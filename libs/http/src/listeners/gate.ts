import type { Server, Socket } from 'node:net'

/**
 * Passes a connection to the server only if `passes` returns true. Otherwise, `passes` handles the connection. Must be called before the
 * server listens.
 */
export function gateConnections(server: Server, passes: (socket: Socket) => boolean): void {
  const serve = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!passes(socket)) return
    for (const listener of serve) listener.call(server, socket)
  })
}
