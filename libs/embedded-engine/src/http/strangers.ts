// Limits the number of connections that have not sent the password, because they must not take all file descriptors. If a new connection
// exceeds the limit, the server closes the oldest connection that has not sent the password. The limit does not affect clients that know
// the password, because they send it in their first request.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Strangers {
  /** Called when the connection has sent the password. */
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
