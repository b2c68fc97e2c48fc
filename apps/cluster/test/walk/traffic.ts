// What clients of all generations send during a walk, each until it is accepted, as an SDK behind a load
// balancer does; and in which mode it was.
import { encodeTraceRequest } from '@svc-server/testkit'
import type { RunningCluster } from '../../src/cluster.ts'
import type { Mode, Processes } from './processes.ts'

export type Kind = 'span of a new SDK' | 'span of an old SDK' | 'trace' | 'observation' | 'update of a trace' | 'score'

export interface Accepted {
  readonly kind: Kind
  readonly id: string
  readonly traceId: string
  /** Of the process that accepted it; null: it changed just then. */
  readonly mode: Mode | null
}

export interface Traffic {
  readonly accepted: readonly Accepted[]
  /** Events that were refused for their type, by mode. */
  readonly refused: readonly (Mode | null)[]
  /** What no client may get. */
  readonly broken: readonly string[]
  /** Resolves when what is under way has been accepted. */
  pause(): Promise<void>
  resume(): void
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly mode: Mode | null
}

type Target = RunningCluster['gateways'][number]

const retryMs = 100
const roundMs = 150
const hex = (number: number, length: number, digit: string) => number.toString(16).padStart(length, digit)

export function startTraffic(running: RunningCluster, processes: Processes): Traffic {
  const authorization = `Basic ${Buffer.from(`${running.publicKey}:${running.secretKey}`).toString('base64')}`
  const accepted: Accepted[] = []
  const refused: (Mode | null)[] = []
  const broken: string[] = []
  let isPaused = false
  let round = 0
  let lanes: Promise<unknown> = Promise.resolve()

  async function once(
    target: Target,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<Answer> {
    const before = processes.modeOf(target)
    try {
      const response = await fetch(`${target.url}${path}`, { method: 'POST', headers: { authorization, ...headers }, body })
      const text = await response.text()
      return { status: response.status, text, mode: processes.modeOf(target) === before ? before : null }
    } catch {
      return { status: 0, text: '', mode: null }
    }
  }

  /** In turn to each of them, until one takes it. Of a request that failed nobody knows who took it in which mode. */
  async function send(
    targets: readonly Target[],
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<Answer> {
    for (let attempt = round; ; attempt++) {
      const answer = await once(targets[attempt % targets.length]!, path, headers, body)
      if (answer.status >= 200 && answer.status < 300) return answer
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
        broken.push(`${path} ${answer.status} ${answer.text.slice(0, 200)}`)
        return answer
      }
      await new Promise(resume => setTimeout(resume, retryMs))
    }
  }

  async function spans(number: number, kind: Kind, headers: Readonly<Record<string, string>>): Promise<void> {
    const traceId = hex(number, 32, kind === 'span of a new SDK' ? 'a' : 'b')
    const now = BigInt(Date.now()) * 1_000_000n
    const ids = [0, 1].map(at => hex(number * 10 + at, 16, kind === 'span of a new SDK' ? 'c' : 'd'))
    const all = ids.map((spanId, at) => ({
      ...{ traceId, spanId, name: `${kind} ${at}`, startTimeUnixNano: now, endTimeUnixNano: now },
      ...(at > 0 && { parentSpanId: ids[0]! }),
    }))
    const body = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] }) as Uint8Array<ArrayBuffer>
    const sent = { 'content-type': 'application/x-protobuf', ...headers }
    const { status, mode } = await send(running.gateways, '/v1/traces', sent, body)
    if (status === 200) accepted.push(...ids.map(id => ({ kind, id, traceId, mode })))
  }

  async function events(batch: readonly (readonly [kind: Kind, type: string, body: { readonly id: string }])[]): Promise<void> {
    const timestamp = new Date().toISOString()
    const sent = batch.map(([, type, body]) => ({ id: `${type} ${body.id} ${round}`, type, timestamp, body }))
    const headers = { 'content-type': 'application/json', 'x-svc-sdk-name': 'svc-js', 'x-svc-sdk-version': '3.39.2' }
    const answer = await send(running.apis, '/api/public/ingestion', headers, JSON.stringify({ batch: sent }))
    if (answer.status !== 207) return
    const { successes, errors } = JSON.parse(answer.text) as { successes: { id: string }[]; errors: { id: string; status: number }[] }
    const taken = new Set(successes.map(({ id }) => id))
    for (const [at, [kind, , body]] of batch.entries()) {
      if (!taken.has(sent[at]!.id)) continue
      const traceId = (body as { traceId?: string }).traceId ?? body.id
      accepted.push({ kind, id: body.id, traceId, mode: answer.mode })
    }
    for (const { status } of errors) {
      refused.push(answer.mode)
      if (status !== 400) broken.push(`an event was refused with ${status}`)
    }
  }

  async function oneRound(number: number): Promise<void> {
    const traceId = `trace-${number}`
    const startTime = new Date().toISOString()
    await Promise.all([
      spans(number, 'span of a new SDK', { 'x-svc-ingestion-version': '4' }),
      spans(number, 'span of an old SDK', { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '3.15.0' }),
      events([
        ['trace', 'trace-create', { id: traceId, name: 'legacy', timestamp: startTime } as { id: string }],
        ['observation', 'span-create', { id: `span-${number}`, traceId, name: 'step', startTime } as { id: string }],
        [
          'observation',
          'generation-create',
          { id: `generation-${number}`, traceId, parentObservationId: `span-${number}`, name: 'call', startTime, model: 'm' } as {
            id: string
          },
        ],
      ]),
      send(
        running.apis,
        '/api/public/scores',
        { 'content-type': 'application/json' },
        JSON.stringify([{ id: `score-${number}`, traceId, name: 'quality', value: 1 }]),
      ).then(({ status, mode }) => {
        if (status < 300) accepted.push({ kind: 'score', id: `score-${number}`, traceId, mode })
      }),
    ])
    // Of a trace that was begun some rounds ago, perhaps in another mode.
    const earlier = `trace-${Math.max(1, number - 20)}`
    if (accepted.some(({ kind, id }) => kind === 'trace' && id === earlier)) {
      await events([['update of a trace', 'trace-create', { id: earlier, output: 'late' } as { id: string }]])
    }
  }

  /** Of what v3 has begun and this version never saw. */
  async function afterV3(): Promise<void> {
    await events([
      ['update of a trace', 'trace-create', { id: 'v3-trace', output: 'late' } as { id: string }],
      ['observation', 'span-update', { id: 'v3-span', traceId: 'v3-trace', output: 'answer' } as { id: string }],
    ])
  }

  async function lane(): Promise<void> {
    if (round === 0) await afterV3()
    while (!isPaused) {
      await oneRound(++round)
      await new Promise(resume => setTimeout(resume, roundMs))
    }
  }

  const traffic: Traffic = {
    accepted,
    refused,
    broken,
    async pause() {
      isPaused = true
      await lanes
    },
    resume() {
      isPaused = false
      lanes = lane().catch(error => broken.push(String(error)))
    },
  }
  traffic.resume()
  return traffic
}
