// Tracks the connections of one client so that they can be closed permanently. After the log has given a client up, kafkajs would keep
// retrying and reconnecting. The retries end when they get no socket.
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
      if (isCut) throw new Error('this client was given up')
      const socket = ssl
        ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
        : connectTcp({ host, port }, onConnect)
      socket.setKeepAlive(true, 60_000)
      // Small requests follow one after the other, and a wait for a full packet would delay each of them.
      socket.setNoDelay(true)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return socket
    },
    cut() {
      isCut = true
      // kafkajs notices that a socket was closed only if it was closed with an error.
      for (const socket of open) socket.destroy(new Error('this client was given up'))
    },
  }
}
