// Tracks the connections of a client, so that they can be closed permanently. Closing the sockets keeps kafkajs from retrying and
// reconnecting after the log has discarded the client. Retries end because they get no socket.
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'

export interface Sockets {
  readonly factory: ISocketFactory
  /** Closes every connection and refuses new connections. */
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
      // Disables Nagle's algorithm, which would delay each of the small requests.
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
