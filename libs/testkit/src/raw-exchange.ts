// Sends raw bytes over a socket, as an attacker can. An HTTP client would correct or reject these requests.
import { connect } from 'node:net'

export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

export interface RawAnswer {
  /** Of the first response. Undefined without a response. */
  readonly status: number | undefined
  /**
   * `answered`: at least one status line arrived. `closed`: the server ended the connection without a status line. `silent`: neither
   * happened before the timeout.
   */
  readonly end: 'answered' | 'closed' | 'silent'
}

/** Resolves with the first outcome, and closes the connection. */
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
    // A reset also counts as `closed`.
    socket.on('error', () => finish('closed'))
    socket.on('close', () => finish('closed'))
  })
}
