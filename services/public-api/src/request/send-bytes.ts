// Sends a response while its source is read. Status and length are sent before the first byte of the body. If the source fails before its
// end, the API breaks the connection, so that no client mistakes a part for the whole response.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ByteAnswer } from './respond.ts'

/** Resolves when the client has received all bytes, has disconnected, or has read nothing for the idle time. */
export async function sendBytes(
  raw: IncomingMessage,
  response: ServerResponse,
  { status, headers, content }: ByteAnswer,
  idleTimeoutMs: number,
): Promise<void> {
  if (response.destroyed || raw.method === 'HEAD') {
    content.destroy()
    if (!response.destroyed) response.writeHead(status, headers).end()
    return
  }
  response.writeHead(status, headers)
  response.setTimeout(idleTimeoutMs, () => response.destroy())
  await pipeline(content, response).catch(() => response.destroy())
}
