// Sends raw bytes over a socket, as an attacker can. An HTTP client would correct or reject these bytes.
import { connect } from 'node:net'

export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

export interface RawAnswer {
  /** Status of the first response. Undefined if no response arrived. */
  readonly status: number | undefined
  /**
   * - `answered`: at least one status line arrived.
   * - `closed`: the server ended the connection before a status line arrived.
   * - `silent`: the timeout passed before a status line or the end of the connection.
   */
  readonly end: 'answered' | 'closed' | 'silent'
}

/** Resolves with the first outcome, and then closes the connection. */
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
    // A reset counts as `closed` too.
    socket.on('error', () => finish('closed'))
    socket.on('close', () => finish('closed'))
  })
}
