// Limits connections that have not shown a password yet. Descriptors are finite, and a client without the password
// must not take them all. The oldest such connection is closed for a new one; a client with the password shows it in
// its first request.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Strangers {
  /** This connection has shown the password and stays open. */
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
