// A server that receives spans. A test can make the server unreachable, make it refuse requests, or make it give no response.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Value {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: number
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values: readonly Value[] }
}

const plain = ({ stringValue, boolValue, intValue, doubleValue, arrayValue }: Value): unknown =>
  arrayValue ? arrayValue.values.map(plain) : (stringValue ?? boolValue ?? intValue ?? doubleValue)

interface Trace {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly { name: string; traceId: string; spanId: string; attributes: readonly { key: string; value: Value }[] }[]
    }[]
  }[]
}

const spansOf = (body: string): ReceivedSpan[] =>
  (JSON.parse(body) as Trace).resourceSpans
    .flatMap(resource => resource.scopeSpans)
    .flatMap(scope => scope.spans)
    .map(({ name, traceId, spanId, attributes }) => ({
      name,
      traceId,
      spanId,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)])),
    }))

export class Collector {
  readonly requests: ReceivedRequest[] = []
  readonly accepted: ReceivedSpan[] = []
  /** Status of the response. If the status is null, the server closes the connection without a response. */
  status: (request: ReceivedRequest) => number | null = () => 200
  reply: (request: ReceivedRequest) => string = () => '{}'
  private server: Server | undefined
  private port = 0

  static async start(): Promise<Collector> {
    const collector = new Collector()
    await collector.open()
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get spanRequests(): ReceivedRequest[] {
    return this.requests.filter(({ url }) => url === '/api/public/otel/v1/traces')
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
        const each = { method: request.method!, url: request.url!, headers: request.headers, body }
        this.requests.push(each)
        const status = this.status(each)
        if (status === null) {
          request.socket.destroy()
          return
        }
        const isSpans = each.url.endsWith('/v1/traces')
        if (isSpans && status === 200) this.accepted.push(...spansOf(body))
        response.writeHead(status).end(isSpans ? '{}' : this.reply(each))
      })
    })
    await new Promise<void>(resolve => server.listen(this.port, '127.0.0.1', resolve))
    this.port = (server.address() as AddressInfo).port
    this.server = server
  }

  /** Closes the server. The server refuses connections until the test opens the server again. */
  close(): Promise<void> {
    return new Promise(resolve => {
      this.server?.close(() => resolve())
      this.server?.closeAllConnections()
    })
  }
}
