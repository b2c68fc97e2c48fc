// A stub of the service. It records the requests.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

interface Received {
  /** Method and path, such as `GET /api/public/projects`. */
  readonly call: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  readonly bytes: Buffer
}

interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly bytes?: Uint8Array
}

/** Responds to a request. If the function returns null, the request gets no response. */
export type Answer = (request: Received) => Reply | null | Promise<Reply | null>

export interface Service {
  readonly url: string
  readonly received: Received[]
  of(call: string): Received[]
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

export async function startService(answer: Answer = () => ({ json: {} })): Promise<Service> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const [path, search] = request.url!.split('?')
      const bytes = Buffer.concat(chunks)
      const each = {
        call: `${request.method} ${path}`,
        query: Object.fromEntries(new URLSearchParams(search)),
        headers: request.headers,
        body: parsed(bytes),
        bytes,
      }
      received.push(each)
      const reply = await answer(each)
      if (reply === null) return
      response.writeHead(reply.status ?? 200, reply.headers)
      response.end(reply.bytes ?? (reply.json === undefined ? '' : JSON.stringify(reply.json)))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    of: call => received.filter(each => each.call === call),
  }
}
