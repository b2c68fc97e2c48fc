// Sends responses so that a client receives its response even if the client is still sending a body.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Uint8Array | string
}

export interface SendOptions {
  readonly close: boolean
  /** Limits for discarding the unread part of a large body, or of a body of unknown length. The connection is then closed. */
  readonly linger: { readonly maxBytes: number; readonly timeoutMs: number }
}

/**
 * An unread body up to this size is discarded, and the connection is kept. If the server refuses a request without reading the body, for
 * example because of a wrong key, the client can then send its next request without a new handshake.
 */
const keptAliveBytes = 1024 * 1024

/**
 * Sends a response. If an unread body is large or of unknown length, the connection closes with a delay. Without the delay, the client
 * could see a reset instead of the status, and would resend its data.
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
  // The client can already read the complete response. The server delays only the call of `end`, until the client stops writing.
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
