// Writes answers so that the client really gets them: a refusal may come while the client is still sending
// its body.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Uint8Array | string
}

export interface SendOptions {
  /** The connection is to end with this answer. */
  readonly close: boolean
  /**
   * How much of an unread body is thrown away, and for how long, before the connection is closed under the
   * client's hands.
   */
  readonly linger: { readonly maxBytes: number; readonly timeoutMs: number }
}

/**
 * Up to this much unread body is swallowed to keep the connection alive; a client with a wrong key should not
 * pay a handshake per try.
 */
const keptAliveBytes = 1024 * 1024

/**
 * Sends an answer. An unread body of unknown or great length ends the connection, but gently: closing while
 * the client still writes resets the connection, the client never sees the status, and exporters take that
 * for a transport error and send the same again.
 */
export function send(req: IncomingMessage, res: ServerResponse, answer: Answer, { close, linger }: SendOptions): void {
  if (res.destroyed || res.headersSent) return
  const unread = !req.complete
  const lingering = unread && !(Number(req.headers['content-length'] ?? Number.NaN) <= keptAliveBytes)
  const headers: OutgoingHttpHeaders = { ...answer.headers }
  // RFC 9110 §8.6: no Content-Length in a 204.
  if (answer.status !== 204) headers['content-length'] = Buffer.byteLength(answer.body)
  if (close || lingering) headers['connection'] = 'close'
  res.writeHead(answer.status, headers)
  if (req.method === 'HEAD' || !lingering) {
    res.end(req.method === 'HEAD' ? undefined : answer.body)
    if (unread) req.resume()
    return
  }
  // The whole answer leaves now; only the end of the exchange waits for the client.
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
