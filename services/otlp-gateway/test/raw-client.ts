// Sends requests without an HTTP library.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { projectAuthorization, type TestAnswer, type TestGateway } from './gateway.ts'

export const head = (lines: readonly string[]) =>
  [
    'POST /v1/traces HTTP/1.1',
    'host: x',
    `authorization: ${projectAuthorization}`,
    'content-type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n')

/** Opens a connection. `ended` resolves with all received bytes. */
export async function bare(
  { port }: TestGateway,
  text: string,
): Promise<{ readonly socket: Socket; readonly ended: Promise<string>; received(): string }> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  socket.on('data', chunk => (received += chunk)).on('error', () => {})
  // A listener waits for `close`. The promise of `once(socket, 'close')` from node:events would reject after a failed write.
  const ended = new Promise<string>(resolve => socket.once('close', () => resolve(received)))
  socket.write(text)
  return { socket, ended, received: () => received }
}

/** Sends a large body. The client waits while the socket is full, so that the body is in memory only once. */
export async function stream({ port }: TestGateway, body: Uint8Array, headers: Record<string, string>): Promise<TestAnswer> {
  const req = request({ port, path: '/v1/traces', method: 'POST', headers: { authorization: projectAuthorization, ...headers } })
  const answer = once(req, 'response')
  const pieces = function* () {
    for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536)
  }
  await pipeline(Readable.from(pieces()), req).catch(() => {})
  const [res] = await answer
  const chunks: Buffer[] = []
  for await (const chunk of res) chunks.push(chunk)
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(chunks) }
}
