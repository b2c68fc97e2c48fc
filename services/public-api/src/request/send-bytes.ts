// Sends a response while its source is read. If the source fails, the API breaks the connection, so that the client cannot mistake an
// incomplete response for a complete one.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ByteAnswer } from './respond.ts'

/** Resolves when the client has all bytes, has disconnected, or was idle for too long. */
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
