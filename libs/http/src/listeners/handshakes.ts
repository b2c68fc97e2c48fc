// Limits what TLS handshakes can cost. A handshake takes a millisecond of CPU time, and a client can start one with a few hundred bytes. A
// client that never finishes its handshake would occupy memory.
import type { Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { ClientAddresses } from './client-address.ts'
import { gateConnections } from './gate.ts'
import type { Handshakes } from './server-tls.ts'

export const handshakeOutcomes = ['done', 'refused', 'timeout', 'left', 'plaintext', 'failed'] as const
type HandshakeOutcome = (typeof handshakeOutcomes)[number]

export interface HandshakeOptions {
  /**
   * Maximum number of handshakes that one address can start per second. The same number limits the concurrent handshakes of the address.
   */
  readonly perSecond: number
  readonly timeoutMs: number
  readonly addresses: Pick<ClientAddresses, 'ofPeer'>
  /** `code` is the code of the error that ended the handshake, if there was one. */
  readonly onEnd: (outcome: HandshakeOutcome, client: { readonly address: string | undefined; readonly code?: string | undefined }) => void
  readonly clock?: () => number
}

/**
 * Above this number of addresses, the share of the least recently used address is dropped. The next handshake of this address gets a full
 * share. This does no harm, because an unused share is full again after a second anyway.
 */
const maxAddresses = 10_000

interface Share {
  tokens: number
  atMs: number
  running: number
}

/**
 * Returns a function that admits or refuses a handshake of an address. For a refused handshake, the result of this function is undefined.
 * For an admitted handshake, the result is a callback, which the caller must call at the end of the handshake.
 */
export function createHandshakeShares(perSecond: number, clock: () => number = () => performance.now()) {
  const shares = new LRUCache<string, Share>({ max: maxAddresses })
  return (address: string): (() => void) | undefined => {
    const nowMs = clock()
    const share = shares.get(address) ?? { tokens: perSecond, atMs: nowMs, running: 0 }
    share.tokens = Math.min(perSecond, share.tokens + ((nowMs - share.atMs) / 1000) * perSecond)
    share.atMs = nowMs
    shares.set(address, share)
    if (share.tokens < 1 || share.running >= perSecond) return undefined
    share.tokens--
    share.running++
    return () => void share.running--
  }
}

const plaintextCodes = new Set(['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST', 'ERR_SSL_WRONG_VERSION_NUMBER'])

function outcomeOf(code: string | undefined): HandshakeOutcome {
  if (code === 'ECONNRESET') return 'left'
  return code !== undefined && plaintextCodes.has(code) ? 'plaintext' : 'failed'
}

/**
 * Returns a text that identifies a connection. A socket object cannot serve as the identifier, because the raw socket and the TLS socket of
 * one connection are different objects.
 */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Must be called before the server listens, and before any other filter of connections is installed. */
export function limitHandshakes(server: TlsServer, { perSecond, timeoutMs, addresses, onEnd, clock }: HandshakeOptions): Handshakes {
  const begin = createHandshakeShares(perSecond, clock)
  const running = new Map<string, { readonly socket: Socket; end(outcome: HandshakeOutcome, code?: string): void }>()

  function watch(socket: Socket, release: (() => void) | undefined): void {
    const client = clientOf(socket)
    const address = socket.remoteAddress
    // Arriving bytes do not extend the time limit, because one byte a second must not keep the connection open.
    const timer = setTimeout(() => {
      end('timeout')
      socket.destroy()
    }, timeoutMs)
    function end(outcome: HandshakeOutcome, code?: string): void {
      if (!running.delete(client)) return
      clearTimeout(timer)
      release?.()
      onEnd(outcome, { address, code })
    }
    running.set(client, { socket, end })
    socket.once('close', () => end('left'))
  }

  gateConnections(server, socket => {
    const address = addresses.ofPeer(socket.remoteAddress)
    const release = address === undefined ? undefined : begin(address)
    if (address !== undefined && release === undefined) {
      socket.on('error', () => {})
      onEnd('refused', { address: socket.remoteAddress })
      socket.destroy()
      return false
    }
    watch(socket, release)
    return true
  })
  server.on('secureConnection', socket => running.get(clientOf(socket))?.end('done'))
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) =>
    running.get(clientOf(socket))?.end(outcomeOf(error.code), error.code),
  )

  return {
    closeAll() {
      for (const { socket } of [...running.values()]) socket.destroy()
    },
  }
}
