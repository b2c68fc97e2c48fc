// Opens the connections of an attacker from one or more addresses. If the server closes a connection, the attacker opens it again.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Storm {
  readonly port: number
  readonly connections: number
  /** Returns the local address from which a connection is opened. On Linux, this can be any address of 127.0.0.0/8. */
  readonly addressOf: (index: number) => string
  readonly attack: (socket: Socket, index: number) => void
  readonly unread?: boolean
  readonly pauseMs?: number
}

/** The server trusts a proxy at this address. For requests from the proxy, the server reads the client's address from a header. */
export const proxyAddress = '127.0.0.77'
export const oneAddress = () => '127.0.0.66'
export const addresses = (count: number) => (index: number) => `127.1.${(index % count) >> 8}.${1 + ((index % count) & 0x7f)}`

/** Number of responses by status. The key `closed` holds the number of closed connections. */
export const seen: Record<string, number> = {}
const count = (what: string) => void (seen[what] = (seen[what] ?? 0) + 1)

export function storm({ port, connections, addressOf, attack, unread = false, pauseMs = 10 }: Storm): void {
  async function keep(index: number): Promise<never> {
    for (;;) {
      const socket = connect({ host: '127.0.0.1', port, localAddress: addressOf(index), noDelay: true })
      socket.on('error', () => {})
      if (!unread) socket.on('data', data => count(/^HTTP\/1.1 (\d+)/.exec(data.toString('latin1', 0, 12))?.[1] ?? 'bytes'))
      socket.once('connect', () => attack(socket, index))
      await new Promise(resolve => socket.once('close', resolve))
      count('closed')
      await sleep(pauseMs)
    }
  }
  for (let index = 0; index < connections; index++) void keep(index)
}

export function pour(socket: Socket, bytes: Buffer): void {
  const on = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', on)
  on()
}

/** Sends `piece` again and again. Each piece is a separate TCP segment. */
export function drip(socket: Socket, piece: string, everyMs = 0): void {
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else if (socket.writableLength < 64 * 1024) socket.write(piece)
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}
