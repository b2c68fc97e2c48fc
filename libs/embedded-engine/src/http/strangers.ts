// Limits the number of connections that have not sent the password, because they must not take all file descriptors. At the limit, each new
// connection closes the oldest of the connections without the password. A client with the password sends it in its first request.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Strangers {
  /** Exempts a connection from the limit once it has sent the password. */
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
