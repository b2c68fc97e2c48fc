// F50: V8 hashes only the length of a text above 16,383 characters. An object, Map, or Set then compares the text with all other texts of
// this length. The tests compare the time for texts of equal length with the time for texts of different lengths.
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { encodeTraceRequest, type KeyValue } from '@svc-server/testkit'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { aSpan, batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

type Value = NonNullable<KeyValue['value']>
type Next = () => string

const count = 400
const json = (open: string, each: Next, close: string): Value => ({
  stringValue: `${open}${Array.from({ length: count }, each).join()}${close}`,
})
const calls = (next: Next, call: (text: string) => object): Value =>
  json('[{"role":"assistant","tool_calls":[', () => JSON.stringify(call(next())), ']}]')

const shapes: Readonly<Record<string, (next: Next) => Value>> = {
  'names of an object': next => json('{', () => `"${next()}":1`, '}'),
  'names of objects': next => json('[', () => `{"${next()}":1}`, ']'),
  'names below a name': next => json(`{"${'p'.repeat(8200)}":{`, () => `"${next().slice(8000)}":1`, '}}'),
  texts: next => json('[', () => `"${next()}"`, ']'),
  tools: next => json('[', () => `{"name":"${next()}"}`, ']'),
  functions: next => json('[', () => `{"type":"function","function":{"name":"${next()}","arguments":"{}"}}`, ']'),
  'ids of calls': next => calls(next, id => ({ id, function: { name: 'a', arguments: '{}' } })),
  'names of calls': next => calls(next, name => ({ function: { name, arguments: '{}' } })),
  'names on the wire': next => ({
    kvlistValue: { values: Array.from({ length: count }, () => ({ key: next(), value: { stringValue: '1' } })) },
  }),
  'texts on the wire': next => ({ arrayValue: { values: Array.from({ length: count }, () => ({ stringValue: next() })) } }),
  'with commas': next => ({ stringValue: Array.from({ length: count }, next).join() }),
}

const maxWork = 1e9
const encoder = createChunkEncoder({ maxWork })

function cpuMs(spans: readonly ReturnType<typeof aSpan>[]): number {
  const body = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  const record = recordOf(batchOf(body))
  const before = process.threadCpuUsage()
  scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36, maxWork })
  encoder.recycle(encoder.encode([record]).body)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

let made = 0
const nextOf =
  (lengths: number): Next =>
  () =>
    'k'.repeat(16_384 + (++made % lengths)) + String(made).padStart(9, '0')

/**
 * Returns a failure message with both CPU times if texts of equal length take at least twice as long as texts of different lengths, in each
 * of three attempts.
 */
function slowness(of: (next: Next) => readonly ReturnType<typeof aSpan>[]): string | undefined {
  for (let attempt = 0; ; attempt++) {
    const same = cpuMs(of(nextOf(1)))
    if (same < 100) return undefined
    const different = cpuMs(of(nextOf(3000)))
    if (same < 2 * different) return undefined
    if (attempt === 2) return `${Math.round(same)} ms instead of ${Math.round(different)}`
  }
}

const isGeneration: KeyValue = { key: 'svc.observation.type', value: { stringValue: 'generation' } }

export function slowShapes(key: string): readonly string[] {
  const ofOne = Object.entries(shapes).map(
    ([name, shape]) => [name, slowness(next => [aSpan({ attributes: [{ key, value: shape(next) }, isGeneration] })])] as const,
  )
  const ofMany = slowness(next => Array.from({ length: count }, () => aSpan({ attributes: [{ key, value: { stringValue: next() } }] })))
  return [...ofOne, ['spans', ofMany] as const].flatMap(([name, slow]) => (slow === undefined ? [] : [`${name}: ${slow}`]))
}

/** Returns the failure message of `slowness`, if any, for long attribute keys. `slowShapes` tests long names, ids and texts. */
export const slowKeys = (keyOf: (text: string) => string): string | undefined =>
  slowness(next => [
    aSpan({ attributes: [isGeneration, ...Array.from({ length: count }, () => ({ key: keyOf(next()), value: { intValue: '1' } }))] }),
  ])
