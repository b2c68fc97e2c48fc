// Connections that have not shown a password yet. Descriptors are finite, and whoever can connect must not be
// able to take them all: the oldest stranger gives way, while a client with the password shows it in its
// first request.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Strangers {
  /** This connection has shown the password: it stays. */
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
