// Connections of one client, which can be cut for good. kafkajs goes on retrying, and reconnecting, in a
// client that was given up: without its sockets that ends at once.
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'

export interface Sockets {
  readonly factory: ISocketFactory
  /** Cuts every connection and refuses new ones. */
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
      // Small requests follow each other: waiting for a full packet would hold each one back.
      socket.setNoDelay(true)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return socket
    },
    cut() {
      isCut = true
      // With an error: kafkajs notices no other kind of end.
      for (const socket of open) socket.destroy(new Error('this client was given up'))
    },
  }
}
