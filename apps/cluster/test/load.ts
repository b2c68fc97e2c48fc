// Creates requests for fault tests. Creating a span takes more CPU time than storing it. Later requests therefore reuse the bytes of the
// first requests and replace only the trace ids.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createSpanGenerator } from '@svc-server/testkit'
import type { Sender } from './cluster.ts'

interface LoadRequest {
  readonly body: Buffer
  readonly spans: number
  /** Ids of the spans, each in the format `trace id/span id`. */
  readonly identities: readonly string[]
}

export interface Load {
  readonly requests: number
  readonly spans: number
  request(index: number): LoadRequest
}

const spansPerRequest = 100
const templates = 20

/** Most exporters use gzip level 6 or do not compress. Tests use level 1, because it takes less time. */
export function createLoad(seed: string, spans: number, { gzipLevel = 1 }: { readonly gzipLevel?: number } = {}): Load {
  const generator = createSpanGenerator({ seed, startTimeMs: Date.now() - 60_000, spansPerRequest })
  const made = Array.from({ length: templates }, () => {
    const { protobuf, spans: identities } = generator.next()
    const bytes = Buffer.from(protobuf)
    const places = [...new Set(identities.map(({ traceId }) => traceId))].flatMap(traceId => placesOf(bytes, Buffer.from(traceId, 'hex')))
    return { bytes, places, identities }
  })
  return {
    requests: Math.ceil(spans / spansPerRequest),
    spans: Math.ceil(spans / spansPerRequest) * spansPerRequest,
    request(index) {
      const { bytes, places, identities } = made[index % templates]!
      const mask = Math.floor(index / templates)
      const body = Buffer.from(bytes)
      for (const place of places) body.writeUInt32BE((bytes.readUInt32BE(place) ^ mask) >>> 0, place)
      const masked = (traceId: string) => ((Number.parseInt(traceId.slice(0, 8), 16) ^ mask) >>> 0).toString(16).padStart(8, '0')
      return {
        body: gzipLevel === 0 ? body : gzipSync(body, { level: gzipLevel }),
        spans: identities.length,
        identities: identities.map(({ traceId, spanId }) => `${masked(traceId)}${traceId.slice(8)}/${spanId}`),
      }
    },
  }
}

function placesOf(bytes: Buffer, id: Buffer): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(id); at >= 0; at = bytes.indexOf(id, at + id.length)) places.push(at)
  return places
}

export interface Sent {
  readonly identities: ReadonlySet<string>
  /**
   * Number of spans in requests that were sent more than once. The log can contain these spans twice, because a gateway can store a
   * request without acknowledging it.
   */
  readonly sentAgain: number
  /** Number of responses by status. The status 0 means that the connection failed. */
  readonly statuses: Readonly<Record<number, number>>
  readonly slowestMs: number
  readonly seconds: number
}

export interface SendOptions {
  readonly load: Load
  readonly concurrency?: number
  /** Called after each acknowledged request. `spans` is the total number of acknowledged spans. */
  readonly onAcknowledged?: (spans: number) => void
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  readonly tookMs: number
}

const retryPauseMs = 100
const giveUpMs = 120_000

export interface PostOptions {
  readonly agent?: Agent | undefined
  readonly ingestionVersion?: '3' | '4'
}

const isGzip = (body: Buffer) => body[0] === 0x1f && body[1] === 0x8b

/** The status is 0 if the connection failed. */
export function post(
  { publicKey, secretKey }: Sender,
  url: string,
  body: Buffer,
  { agent, ingestionVersion = '4' }: PostOptions = {},
): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise(done => {
    const outgoing = httpRequest(`${url}/v1/traces`, {
      ...(agent && { agent }),
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
        'content-type': 'application/x-protobuf',
        ...(isGzip(body) && { 'content-encoding': 'gzip' }),
        'content-length': String(body.length),
        'x-svc-ingestion-version': ingestionVersion,
      },
    })
    const end = (status: number, headers: IncomingMessage['headers'] = {}, answer = Buffer.alloc(0)) =>
      done({ status, headers, body: answer, tookMs: performance.now() - startedAt })
    outgoing.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => end(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)))
      response.on('error', () => end(0))
    })
    outgoing.on('error', () => end(0))
    outgoing.end(body)
  })
}

/** Resolves when a gateway has responded to every request with 200. */
export async function sendLoad(sender: Sender, { load, concurrency = 8, onAcknowledged }: SendOptions): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const identities = new Set<string>()
  const statuses: Record<number, number> = {}
  let [next, sentAgain, acknowledged, slowestMs] = [0, 0, 0, 0]
  const startedAt = performance.now()

  async function untilAcknowledged(index: number): Promise<LoadRequest> {
    const request = load.request(index)
    const deadline = performance.now() + giveUpMs
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      if (attempt === 1) sentAgain += request.spans
      const { url } = sender.gateways[(index + attempt) % sender.gateways.length]!
      const { status, body, tookMs } = await post(sender, url, request.body, { agent })
      statuses[status] = (statuses[status] ?? 0) + 1
      slowestMs = Math.max(slowestMs, tookMs)
      if (status === 200 && body.length === 0) return request
      if (status !== 0 && status < 429) throw new Error(`refused for good: ${status} ${body.toString('latin1')}`)
      await new Promise(resume => setTimeout(resume, retryPauseMs))
    }
    throw new Error(`request ${index} was not acknowledged in ${giveUpMs} ms: ${JSON.stringify(statuses)}`)
  }
  const lane = async () => {
    for (let index = next++; index < load.requests; index = next++) {
      const request = await untilAcknowledged(index)
      for (const identity of request.identities) identities.add(identity)
      acknowledged += request.spans
      onAcknowledged?.(acknowledged)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  agent.destroy()
  return { identities, sentAgain, statuses, slowestMs, seconds: (performance.now() - startedAt) / 1000 }
}
