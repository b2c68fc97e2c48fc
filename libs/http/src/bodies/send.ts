// Sends responses in a way that the client receives them even if the server rejects a request whose body is still arriving.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Uint8Array | string
}

export interface SendOptions {
  /** True if the connection ends after this response. */
  readonly close: boolean
  /** How much of an unread body is discarded, and for how long, before the connection is closed. */
  readonly linger: { readonly maxBytes: number; readonly timeoutMs: number }
}

/**
 * Up to this size, an unread body is discarded and the connection is kept, so that a client with a wrong key does not need a handshake for
 * each attempt.
 */
const keptAliveBytes = 1024 * 1024

/**
 * Sends a response. If the unread body is too large or its length is unknown, the connection is closed after a delay. Without the delay,
 * closing would reset the connection while the client is still writing. The client would not see the status, would treat the reset as a
 * transport error, and would send the same data again.
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
  // At this point, the whole response has been sent. Only the call of `end` waits, until the client stops writing.
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
