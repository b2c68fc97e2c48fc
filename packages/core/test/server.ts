// A test server that records requests.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface RecordingServer {
  readonly url: string
  readonly received: Received[]
  close(): Promise<void>
}

/** Starts the server. If `reply` returns null, the request gets no response. */
export async function recordingServer(reply: (request: Received, at: number) => Reply | null): Promise<RecordingServer> {
  const received: Received[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const each = { method: request.method!, url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(each)
      const answer = reply(each, received.length - 1)
      if (answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
