// Sends requests as an OTLP exporter does. If the response is not 200, the client sends the same bytes again.
import { Agent, request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { ConservationLedger, GeneratedRequest } from '@svc-server/testkit'
import { authorization } from './instance.ts'

export interface SentRequest {
  readonly request: GeneratedRequest
  readonly attempts: number
}

export interface SendOptions {
  readonly url: string
  readonly requests: readonly GeneratedRequest[]
  readonly concurrency: number
  readonly headers?: Readonly<Record<string, string>>
  readonly ledger?: ConservationLedger
  /** Called after each acknowledged request. `acknowledged` is the total number of acknowledged requests. */
  readonly onAcknowledged?: (acknowledged: number) => void
}

function post(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<{ status: number; body: Buffer }> {
  return new Promise((done, fail) => {
    const outgoing = httpRequest(url, {
      agent,
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.length) },
      timeout: 15_000,
    })
    outgoing.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => done({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
      response.on('error', fail)
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('timed out')))
    outgoing.on('error', fail)
    outgoing.end(body)
  })
}

const retryPauseMs = 50

export async function sendAll({ url, requests, concurrency, headers = {}, ledger, onAcknowledged }: SendOptions): Promise<SentRequest[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const allHeaders = {
    authorization,
    'content-type': 'application/x-protobuf',
    'content-encoding': 'gzip',
    'x-svc-ingestion-version': '4',
    ...headers,
  }
  const sent: SentRequest[] = []
  let next = 0

  async function lane(): Promise<void> {
    for (let index = next++; index < requests.length; index = next++) {
      const request = requests[index]!
      const body = gzipSync(request.protobuf, { level: 1 })
      for (let attempts = 1; ; attempts++) {
        ledger?.sent(request)
        const answer = await post(agent, url, allHeaders, body).catch(() => undefined)
        if (answer?.status === 200) {
          if (answer.body.length > 0) throw new Error(`spans were rejected: ${answer.body.toString('latin1')}`)
          ledger?.acknowledged(request)
          sent.push({ request, attempts })
          onAcknowledged?.(sent.length)
          break
        }
        if (answer && answer.status < 429) throw new Error(`refused for good: ${answer.status} ${answer.body.toString('latin1')}`)
        await new Promise(resume => setTimeout(resume, retryPauseMs))
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  agent.destroy()
  return sent
}
