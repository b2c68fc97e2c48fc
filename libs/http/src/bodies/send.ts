// Sends responses so that clients receive them even if the server rejects a request whose body is still arriving.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Uint8Array | string
}

export interface SendOptions {
  /** True if the connection ends after this response. */
  readonly close: boolean
  /** Limits of bytes and time for discarding an unread body before the connection closes. */
  readonly linger: { readonly maxBytes: number; readonly timeoutMs: number }
}

/**
 * Discards an unread body up to this size and keeps the connection, so that a client with a wrong key does not need a handshake for each
 * attempt.
 */
const keptAliveBytes = 1024 * 1024

/**
 * Sends a response. Delays closing the connection if the unread body is too large or of unknown length. Without a delay, closing would
 * reset the connection while the client is still writing. A client that sees a reset instead of the status treats it as a transport error
 * and resends its data.
 */
export function send(req: IncomingMessage, res: ServerResponse, answer: Answer, { close, linger }: SendOptions): void {
  if (res.destroyed || res.headersSent) return
  const unread = !req.complete
  const lingering = unread && !(Number(req.headers['content-length'] ?? Number.NaN) <= keptAliveBytes)
  const headers: OutgoingHttpHeaders = { ...answer.headers }
  // RFC 9110 §8.6: a response with status 204 has no Content-Length.
  if (answer.status !== 204) headers['content-length'] = Buffer.byteLength(answer.body)
  if (close || lingering) headers['connection'] = 'close'
  res.writeHead(answer.status, headers)
  if (req.method === 'HEAD' || !lingering) {
    res.end(req.method === 'HEAD' ? undefined : answer.body)
    if (unread) req.resume()
    return
  }
  // The whole response has been sent here. Only `end` waits, until the client stops writing.
  res.write(answer.body)
  lingerOn(req, linger, () => res.end())
}

function lingerOn(req: IncomingMessage, { maxBytes, timeoutMs }: SendOptions['linger'], done: () => void): void {
  let bytes = 0
  const finish = () => {
    clearTimeout(timer)
    req.off('data', onData).off('end', finish).off('close', finish)
    done()
  }
  const onData = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) finish()
  }
  const timer = setTimeout(finish, timeoutMs)
  req.on('error', () => {})
  req.on('data', onData).on('end', finish).on('close', finish)
  req.resume()
}
