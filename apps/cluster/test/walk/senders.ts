// Sends requests as SDKs of different generations do.
import { encodeTraceRequest } from '@svc-server/testkit'
import type { RunningCluster } from '../../src/cluster.ts'
import type { Client, Sent } from './client.ts'
import type { Mode } from './processes.ts'

export type Kind = 'span of a new SDK' | 'span of an old SDK' | 'trace' | 'observation' | 'update of a trace' | 'score' | 'run item'

export interface Accepted {
  readonly kind: Kind
  readonly id: string
  readonly traceId: string
  /**
   * Write mode of the process that accepted the data. Null if the process was restarting during the request, because the mode is then
   * unknown.
   */
  readonly mode: Mode | null
}

export const traceIdsOf = (number: number): readonly [legacy: string, fresh: string, old: string] => [
  `trace-${number}`,
  hex(number, 32, 'a'),
  hex(number, 32, 'b'),
]

export const spanIdOf = (number: number, isNew: boolean, at: 0 | 1): string => hex(number * 10 + at, 16, isNew ? 'c' : 'd')

/** The first digit of an id tells the type of the data. */
const hex = (number: number, length: number, digit: string) => digit + number.toString(16).padStart(length - 1, '0')

export type Batch = readonly (readonly [kind: Kind, type: string, body: { readonly id: string }])[]

interface Recorder {
  readonly accepted: Accepted[]
  readonly refused: (Mode | null)[]
}

export function createSenders(running: RunningCluster, client: Client, recorder: Recorder | null) {
  let sentEvents = 0

  async function spans(number: number, kind: Kind, sent: Sent = {}): Promise<void> {
    const isNew = kind === 'span of a new SDK'
    const traceId = traceIdsOf(number)[isNew ? 1 : 2]
    const now = BigInt(Date.now()) * 1_000_000n
    const ids = ([0, 1] as const).map(at => spanIdOf(number, isNew, at))
    const all = ids.map((spanId, at) => ({
      ...{ traceId, spanId, name: `${kind} ${at}`, startTimeUnixNano: now, endTimeUnixNano: now },
      ...(at > 0 && { parentSpanId: ids[0]! }),
    }))
    const sdk: Readonly<Record<string, string>> = isNew
      ? { 'x-svc-ingestion-version': '4' }
      : { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '3.15.0' }
    const body = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] })
    const { status, mode } = await client.send(running.gateways, '/v1/traces', {
      ...sent,
      headers: { 'content-type': 'application/x-protobuf', ...sdk },
      body,
    })
    if (status === 200) recorder?.accepted.push(...ids.map(id => ({ kind, id, traceId, mode })))
  }

  async function events(batch: Batch, sent: Sent = {}): Promise<void> {
    const timestamp = new Date().toISOString()
    const all = batch.map(([, type, body]) => ({ id: `${type} ${body.id} ${sentEvents++}`, type, timestamp, body }))
    const headers = { 'x-svc-sdk-name': 'svc-js', 'x-svc-sdk-version': '3.39.2' }
    const answer = await client.json('/api/public/ingestion', { batch: all }, { ...sent, headers })
    if (answer.status !== 207 || recorder === null) return
    const { successes, errors } = JSON.parse(answer.text) as { successes: { id: string }[]; errors: { id: string; status: number }[] }
    const taken = new Set(successes.map(({ id }) => id))
    for (const [at, [kind, , body]] of batch.entries()) {
      if (!taken.has(all[at]!.id)) continue
      const traceId = (body as { traceId?: string }).traceId ?? body.id
      recorder.accepted.push({ kind, id: body.id, traceId, mode: answer.mode })
    }
    for (const { status } of errors) {
      recorder.refused.push(answer.mode)
      if (status !== 400) client.broken.push(`an event was refused with ${status}`)
    }
  }

  async function legacyTrace(number: number, sent: Sent = {}): Promise<void> {
    const [traceId] = traceIdsOf(number)
    const startTime = new Date().toISOString()
    const step = { id: `span-${number}`, traceId, name: 'step', startTime }
    const call = { id: `generation-${number}`, traceId, parentObservationId: step.id, name: 'call', startTime, model: 'm' }
    const batch: Batch = [
      ['trace', 'trace-create', { id: traceId, name: 'legacy', timestamp: startTime } as { id: string }],
      ['observation', 'span-create', step],
      ['observation', 'generation-create', call],
    ]
    await events(batch, sent)
  }

  async function score(id: string, traceId: string, sent: Sent = {}): Promise<void> {
    const { status, mode } = await client.json('/api/public/scores', [{ id, traceId, name: 'quality', value: 1 }], sent)
    if (status < 300) recorder?.accepted.push({ kind: 'score', id, traceId, mode })
  }

  return { spans, events, legacyTrace, score }
}
