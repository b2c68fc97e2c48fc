// An HTTP proxy in front of a real column store. The proxy injects faults that a real server does not produce on demand.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ColumnStoreFault =
  /**
   * Responds with 200 but stores nothing. An engine responds to a repeated insert in this way if the engine was killed after it had
   * recorded the insert's deduplication token, but before it had stored the part (F41).
   */
  | { readonly kind: 'swallow' }
  /** Stores the insert, and then breaks the connection before the response (F08). */
  | { readonly kind: 'drop-answer' }
  /** Forwards the request, and delays the response until `until` resolves. */
  | { readonly kind: 'delay-answer'; readonly until: Promise<unknown> }
  /** Stores nothing, and responds with a ClickHouse exception (F13: 241, 252). */
  | { readonly kind: 'exception'; readonly code: number; readonly type: string; readonly message: string; readonly status?: number }
  /** Responds like a load balancer that has no servers. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Closes the connection without forwarding the request (F12). */
  | { readonly kind: 'refuse' }

export interface ProxiedRequest {
  /** The statement. For an insert, the data is left out. */
  readonly query: string
  readonly isInsert: boolean
  /** Name of the table after INSERT INTO, without quotes. Null for statements that are not inserts. */
  readonly table: string | null
  /** Value of `insert_deduplication_token`. */
  readonly token: string | null
}

export interface ColumnStoreProxy extends AsyncDisposable {
  readonly url: string
  /** All requests in the order of their arrival, including requests with a fault. */
  readonly requests: readonly ProxiedRequest[]
  /** Sets the function that chooses a fault for each request. The proxy forwards the request if the function returns null. */
  onRequest(decide: (request: ProxiedRequest) => ColumnStoreFault | null): void
  /** Assigns the faults to the next inserts, one fault per insert. These faults have precedence over the faults of `onRequest`. */
  failInserts(...faults: readonly ColumnStoreFault[]): void
  /** Removes all faults. */
  heal(): void
  close(): Promise<void>
}

const describe = (query: string, url: URL): ProxiedRequest => {
  const target = /^\s*INSERT\s+INTO\s+(?:TABLE\s+)?([^\s(]+)/i.exec(query)
  return {
    query,
    isInsert: target !== null,
    table: target?.[1]?.replaceAll('`', '') ?? null,
    token: url.searchParams.get('insert_deduplication_token'),
  }
}

const answerException = (res: ServerResponse, fault: Extract<ColumnStoreFault, { kind: 'exception' }>): void => {
  res.writeHead(fault.status ?? 500, { 'content-type': 'text/plain', 'x-clickhouse-exception-code': String(fault.code) })
  res.end(`Code: ${fault.code}. DB::Exception: ${fault.message}. (${fault.type}) (version 26.4.1.1)\n`)
}

/** Forwards requests to the http URL `target`. The proxy listens on a free loopback port. */
export async function createColumnStoreProxy(target: string): Promise<ColumnStoreProxy> {
  const upstream = new URL(target)
  const requests: ProxiedRequest[] = []
  let queued: ColumnStoreFault[] = []
  let decide: (request: ProxiedRequest) => ColumnStoreFault | null = () => null

  const forward = (req: IncomingMessage, body: string | null, onAnswer: (answer: IncomingMessage) => void, onError: () => void): void => {
    const outgoing = request(
      { host: upstream.hostname, port: upstream.port, path: req.url, method: req.method, headers: { ...req.headers, host: upstream.host } },
      onAnswer,
    )
    outgoing.on('error', onError)
    if (body === null) req.pipe(outgoing)
    else outgoing.end(body)
  }

  const passThrough = (req: IncomingMessage, res: ServerResponse, body: string | null, before: Promise<unknown>): void =>
    forward(
      req,
      body,
      async answer => {
        await before
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
      () => res.destroy(),
    )

  const apply = (fault: ColumnStoreFault | null, req: IncomingMessage, res: ServerResponse, body: string | null): void => {
    if (fault === null) return void passThrough(req, res, body, Promise.resolve())
    if (fault.kind === 'delay-answer') return void passThrough(req, res, body, fault.until)
    if (fault.kind === 'refuse') return void res.destroy()
    if (fault.kind === 'drop-answer') {
      const end = () => res.destroy()
      return void forward(req, body, answer => answer.on('end', end).resume(), end)
    }
    // The proxy responds after the whole body has arrived. With an earlier response, the client would see a broken upload instead of the
    // fault.
    const answer = () => {
      if (fault.kind === 'swallow') res.writeHead(200, { 'x-clickhouse-summary': '{"written_rows":"0"}' }).end()
      else if (fault.kind === 'status') res.writeHead(fault.status, { 'content-type': 'text/plain' }).end(fault.body ?? '')
      else answerException(res, fault)
    }
    if (req.readableEnded) answer()
    else req.on('end', answer).resume()
  }

  const server = createServer(async (req, res) => {
    const url = new URL(req.url ?? '/', target)
    const inUrl = url.searchParams.get('query')
    // The proxy keeps a body in memory only if the body is the statement. The proxy forwards every other body as a stream.
    const body = inUrl === null ? await text(req).catch(() => '') : null
    const seen = describe(inUrl ?? body ?? '', url)
    requests.push(seen)
    apply((seen.isInsert ? queued.shift() : undefined) ?? decide(seen), req, res, body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    onRequest(next) {
      decide = next
    },
    failInserts(...faults) {
      for (const fault of faults) queued.push(fault)
    },
    heal() {
      queued = []
      decide = () => null
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
