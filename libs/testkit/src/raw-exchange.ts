// Bytes on a socket as an attacker writes them: HTTP clients correct or refuse what these tests must send.
import { connect } from 'node:net'

export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

export interface RawAnswer {
  /** Of the first answer; undefined when the other side closed without one, or said nothing. */
  readonly status: number | undefined
  /**
   * `answered`: at least one status line came. `closed`: the other side ended the connection. `silent`:
   * neither, within the time.
   */
  readonly end: 'answered' | 'closed' | 'silent'
}

/** Writes the bytes and resolves with the first thing that happens. The connection is closed then. */
export function exchangeRaw(address: Address, bytes: string | Uint8Array, timeoutMs = 5_000): Promise<RawAnswer> {
  return new Promise(resolve => {
    const socket = connect(address)
    let received = ''
    const finish = (end: RawAnswer['end']) => {
      clearTimeout(timer)
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]
      resolve({ status: status === undefined ? undefined : Number(status), end })
      socket.destroy()
    }
    const timer = setTimeout(() => finish('silent'), timeoutMs)
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
      if (/^HTTP\/1\.1 \d{3} /.test(received)) finish('answered')
    })
    // A reset after the end is the same end.
    socket.on('error', () => finish('closed'))
    socket.on('close', () => finish('closed'))
  })
}
