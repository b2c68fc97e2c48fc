// Creates very large traces. In each trace, an agent makes one call after the other.
import type { Instance } from './instance.ts'

export interface LargeTrace {
  readonly traceId: string
  readonly observations: number
  readonly characters: number
}

/** Largest size of a request, which must be below the log's size limit. */
const bytesOfABatch = 5_000_000
const breadth = 3
const words = 'the agent reads a long page of the manual and answers with what it found there '

const largeId = (at: number): string => (at + 1).toString(16).padStart(16, '0')

function spanOf({ traceId, observations, characters }: LargeTrace, at: number, startNs: bigint): object {
  const ns = (us: number) => String(startNs + BigInt(us) * 1_000n)
  const isCall = at % 4 === 1
  const attributes = {
    'svc.observation.type': at === 0 ? 'agent' : isCall ? 'generation' : 'tool',
    'svc.observation.input': `${at} ${words.repeat(Math.ceil(characters / words.length))}`.slice(0, characters),
    ...(isCall && { 'svc.observation.model.name': 'gpt-5', 'svc.observation.cost_details': '{"total":0.001}' }),
  }
  return {
    ...{ traceId, spanId: largeId(at), name: `step ${at % 20}`, kind: 1, status: {} },
    ...(at > 0 && { parentSpanId: largeId(Math.floor((at - 1) / breadth)) }),
    ...{ startTimeUnixNano: ns(at * 10), endTimeUnixNano: ns((2 * observations - at) * 10) },
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  }
}

export async function sendLarge({ send }: Pick<Instance, 'send'>, trace: LargeTrace): Promise<void> {
  const startNs = BigInt(Date.now() - 600_000) * 1_000_000n
  const batch = Math.max(1, Math.min(5_000, Math.floor(bytesOfABatch / (trace.characters + 800))))
  for (let from = 0; from < trace.observations; from += batch) {
    const length = Math.min(batch, trace.observations - from)
    await send(Array.from({ length }, (_, n) => spanOf(trace, from + n, startNs)))
  }
}
