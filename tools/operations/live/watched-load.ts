// Sends a steady load of requests, with one kind of request for each type of client.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestCluster } from '../../../apps/cluster/test/cluster.ts'
import { createSpanGenerator } from '../../../libs/testkit/src/index.ts'

export interface WatchedLoad extends AsyncDisposable {
  /** Number of responses by status. The status 0 means that the connection failed. */
  readonly statuses: Readonly<Record<number, number>>
}

const pauseMs = 1_000
const giveUpMs = 8_000

export const spanOf = (name: string, traceId = randomBytes(16).toString('hex')) => {
  const now = `${BigInt(Date.now()) * 1_000_000n}`
  return { traceId, spanId: randomBytes(8).toString('hex'), name, startTimeUnixNano: now, endTimeUnixNano: now }
}
export const exportOf = (...spans: readonly object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

export const refusedName = 'a span that the column store refuses'

const sdk = (name: string, version: string) => ({ 'x-svc-sdk-name': name, 'x-svc-sdk-version': version })

export async function send(
  cluster: TestCluster,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { publicKey, secretKey, gateways, apis } = cluster.running
  const base = path.startsWith('/v1') ? gateways[0]!.url : apis[0]!.url
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  try {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(giveUpMs),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

export function startWatchedLoad(cluster: TestCluster): WatchedLoad {
  const statuses: Record<number, number> = {}
  const stopping = new AbortController()
  const generator = createSpanGenerator({ seed: 'watched', startTimeMs: Date.now() - 5000, spansPerRequest: 10 })
  const late = randomBytes(16).toString('hex')
  const count = (status: number) => void (statuses[status] = (statuses[status] ?? 0) + 1)

  const spans = (from: Readonly<Record<string, string>>) => async () => {
    const headers = { 'content-type': 'application/x-protobuf', ...from }
    count(await send(cluster, '/v1/traces', generator.next().protobuf as Uint8Array<ArrayBuffer>, headers))
  }
  async function others(): Promise<void> {
    const trace = randomBytes(16).toString('hex')
    const event = (type: string, body: object) => ({ id: randomBytes(8).toString('hex'), timestamp: new Date().toISOString(), type, body })
    const batch = [
      event('trace-create', { id: trace, name: 'legacy' }),
      event('span-create', { id: randomBytes(8).toString('hex'), traceId: trace, name: 'work' }),
    ]
    await send(cluster, '/api/public/ingestion', JSON.stringify({ batch }), sdk('python', '2.60.3'))
    await send(cluster, '/api/public/ingestion', JSON.stringify({ batch: [event('trace-create', { id: trace })] }), sdk('svc-js', '3.38.0'))
    await send(cluster, '/api/public/scores', JSON.stringify({ traceId: trace, name: 'quality', value: 1 }), sdk('@svc/client', '6.0.0'))
    await send(cluster, '/api/public/scores', '{}', { authorization: 'Basic bm9ib2R5Om5vYm9keQ==' })
    // This span belongs to a trace whose window was closed long ago.
    await send(cluster, '/v1/traces', exportOf(spanOf('late', late)), { 'x-svc-ingestion-version': '3' })
    await send(cluster, '/v1/traces', exportOf(spanOf('no trace', '0'.repeat(32)), spanOf('good', trace)))
    await send(cluster, '/v1/traces', 'this is no JSON')
    await send(cluster, '/v1/traces', exportOf(spanOf('whose', trace)), { authorization: 'Basic bm9ib2R5Om5vYm9keQ==' })
  }
  async function lane(work: () => Promise<void>, everyMs: number): Promise<void> {
    while (!stopping.signal.aborted) {
      await work()
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = Promise.all([
    lane(spans(sdk('python', '4.9.0')), pauseMs),
    lane(spans({ 'x-svc-ingestion-version': '4' }), pauseMs),
    lane(spans(sdk('@svc/otel', '5.2.1')), pauseMs),
    lane(others, 2_000),
  ])
  return {
    statuses,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}
