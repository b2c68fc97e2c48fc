// Sends spans and scores, waits until they are readable, and reads lists page by page.
import { exportOf, type Score, type Span } from './data.ts'

export type Row = Readonly<Record<string, unknown>>
type Parameters = readonly (readonly [string, string])[]

export interface Client {
  get(path: string, parameters: Parameters | Readonly<Record<string, string>>): Promise<{ readonly status: number; readonly body: Row }>
  /** Throws if the status of the response is not 2xx. */
  send(method: string, path: string, body: unknown): Promise<Row>
  report(method: string, path: string, body: unknown): Promise<Row>
  sendSpans(spans: readonly Span[]): Promise<void>
  sendScores(scores: readonly Score[]): Promise<void>
  sendSpan(span: Span): Promise<string>
  stream(path: string, parameters: Parameters, type: string): Promise<string>
  walk(path: string, parameters: Parameters): Promise<readonly Row[]>
}

const chunks = <T>(of: readonly T[], size: number) =>
  Array.from({ length: Math.ceil(of.length / size) }, (_, n) => of.slice(n * size, (n + 1) * size))

export function createClient(base: string, authorization: string): Client {
  const headers = { authorization, 'content-type': 'application/json', 'x-svc-ingestion-version': '4' }
  async function exchange(method: string, path: string, body?: unknown) {
    const response = await fetch(`${base}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    return { response, body: (await response.json()) as Row }
  }
  async function accepted(method: string, path: string, body: unknown) {
    const sent = await exchange(method, path, body)
    if (!sent.response.ok || sent.response.status === 207)
      throw new Error(`${method} ${path}: ${sent.response.status} ${JSON.stringify(sent.body)}`)
    return sent
  }
  async function written(path: string, body: unknown) {
    const id = (await accepted('POST', path, body)).response.headers.get('x-svc-ingest-id')
    for (let waits = 0; waits < 12; waits++) {
      const { response } = await exchange('GET', `/v2/observations?limit=1&waitFor=${id}`)
      if (response.headers.get('x-svc-waited-for') === 'readable') return
    }
    throw new Error(`${path}: what was sent does not become readable`)
  }
  const get: Client['get'] = async (path, parameters) => {
    const search = new URLSearchParams(parameters as Record<string, string>)
    const { response, body } = await exchange('GET', `${path}?${search}`)
    return { status: response.status, body }
  }
  return {
    get,
    send: async (method, path, body) => (await accepted(method, path, body)).body,
    report: async (method, path, body) => (await exchange(method, path, body)).body,
    async sendSpans(spans) {
      for (const chunk of chunks(spans, 400)) await written('/otel/v1/traces', exportOf(chunk))
    },
    async sendSpan(span) {
      const { response } = await accepted('POST', '/otel/v1/traces', exportOf([span]))
      return response.headers.get('x-svc-ingest-id') ?? ''
    },
    async stream(path, parameters, type) {
      const search = new URLSearchParams(parameters as unknown as Record<string, string>)
      const response = await fetch(`${base}${path}?${search}`, { headers: { ...headers, accept: type } })
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return response.text()
    },
    async sendScores(scores) {
      for (const chunk of chunks(scores, 100)) await written('/scores', chunk)
    },
    async walk(path, parameters) {
      const pages: Row[][] = []
      for (let cursor: string | undefined; ; ) {
        const { status, body } = await get(path, cursor === undefined ? parameters : [...parameters, ['cursor', cursor]])
        if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
        const page = body['data'] as Row[]
        if (cursor !== undefined && page.length === 0) throw new Error(`${path}: an empty page behind a cursor`)
        pages.push(page)
        cursor = (body['meta'] as { readonly cursor?: string }).cursor
        if (cursor === undefined) return pages.flat()
      }
    },
  }
}
