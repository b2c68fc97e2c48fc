// Tracks a client's connections, so that they can be closed for good. kafkajs's retries then get no socket and end.
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'

export interface Sockets {
  readonly factory: ISocketFactory
  cut(): void
}

export function createSockets(): Sockets {
  const open = new Set<Socket>()
  let isCut = false
  return {
    factory({ host, port, ssl, onConnect }) {
      if (isCut) throw new Error('this client was closed')
      const socket = ssl
        ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
        : connectTcp({ host, port }, onConnect)
      socket.setKeepAlive(true, 60_000)
      // Nagle's algorithm would delay each of the small requests.
      socket.setNoDelay(true)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return socket
    },
    cut() {
      isCut = true
      // kafkajs notices a closed socket only if the socket is destroyed with an error.
      for (const socket of open) socket.destroy(new Error('this client was closed'))
    },
  }
}
