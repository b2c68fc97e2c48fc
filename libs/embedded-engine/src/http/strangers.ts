// Limits the number of connections that have not sent the password yet, because a client without the password must not take all file
// descriptors. When the limit is reached, the oldest such connection is closed for a new connection. A client that has the password sends
// it in its first request.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Strangers {
  /** Marks a connection that has sent the password, so that it stays open. */
  admit(socket: Socket): void
  readonly count: number
}

export const limitStrangers = (server: Server, max: number): Strangers => {
  const strangers = new Set<Socket>()
  server.on('connection', socket => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    if (strangers.size <= max) return
    const [oldest] = strangers
    strangers.delete(oldest!)
    oldest!.destroy()
  })
  return {
    admit: socket => void strangers.delete(socket),
    get count() {
      return strangers.size
    },
  }
}
