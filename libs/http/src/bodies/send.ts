// Sends responses so that the client receives them even when the server rejects a request whose body is still arriving.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Uint8Array | string
}

export interface SendOptions {
  /** Whether the connection ends after this response. */
  readonly close: boolean
  /** How much of an unread body is discarded, and for how long, before the server closes the connection. */
  readonly linger: { readonly maxBytes: number; readonly timeoutMs: number }
}

/**
 * The server discards up to this much unread body to keep the connection alive, so that a client with a wrong key needs no
 * handshake per attempt.
 */
const keptAliveBytes = 1024 * 1024

/**
 * Sends a response. If an unread body has unknown or great length, the connection is closed after a delay. If the server closed the
 * connection while the client still writes, the connection would be reset: the client would never see the status, treat it as a transport
 * error, and send the same data again.
 */
export function send(req: IncomingMessage, res: ServerResponse, answer: Answer, { close, linger }: SendOptions): void {
  if (res.destroyed || res.headersSent) return
  const unread = !req.complete
  const lingering = unread && !(Number(req.headers['content-length'] ?? Number.NaN) <= keptAliveBytes)
  const headers: OutgoingHttpHeaders = { ...answer.headers }
  // RFC 9110 §8.6: a 204 response has no Content-Length.
  if (answer.status !== 204) headers['content-length'] = Buffer.byteLength(answer.body)
  if (close || lingering) headers['connection'] = 'close'
  res.writeHead(answer.status, headers)
  if (req.method === 'HEAD' || !lingering) {
    res.end(req.method === 'HEAD' ? undefined : answer.body)
    if (unread) req.resume()
    return
  }
  // The whole response is sent now. Only the end of the exchange waits for the client.
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
