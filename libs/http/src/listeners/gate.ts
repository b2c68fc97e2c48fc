import type { Server, Socket } from 'node:net'

/** Passes only accepted connections to the server; `passes` handles the others. Must be called before the server listens. */
export function gateConnections(server: Server, passes: (socket: Socket) => boolean): void {
  const serve = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!passes(socket)) return
    for (const listener of serve) listener.call(server, socket)
  })
}
