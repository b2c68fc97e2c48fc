import { readNativeBlock } from '@svc-server/column-store/native'
import { encodeTraceRequest, type KeyValue, type Span, sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { attributeList } from './fuzz/spans.ts'
import { aSpan, batchOf, recordOf } from './mapped-rows.ts'

const encoder = createChunkEncoder()
const lists = ['metadata_names', 'metadata_values', 'metadata_types']

/** Brings the row into a normal form. The normal form ignores the order of metadata, JSON members, and maps. */
function rowOf(attributes: readonly KeyValue[], scopeName: string): unknown {
  const span: Span = aSpan({ attributes })
  const request = { resourceSpans: [{ scopeSpans: [{ scope: { name: scopeName }, spans: [span] }] }] }
  const [row] = readNativeBlock(encoder.encode([recordOf(batchOf(encodeTraceRequest(request)))]).body)
  const [names, values, types] = lists.map(name => row![name] as readonly unknown[])
  const metadata = names!
    .map((name, i) => [name, values![i], types![i]])
    .map(leaf => JSON.stringify(leaf))
    .sort()
  const others = Object.entries(row!).filter(([name]) => ![...lists, 'event_bytes'].includes(name))
  return { ...Object.fromEntries(others), model_parameters: JSON.parse(String(row!['model_parameters'])) as unknown, metadata }
}

/** Several of these keys can set the same metadata name. The order of the attributes then matters, because the last attribute wins. */
const isOrdered = (key: string) => /^(?:svc\.(?:observation\.|trace\.)?metadata|ai\.telemetry\.metadata|svc\.experiment\.)/.test(key)

test('the order of attributes never changes the row, except for repeated keys', () => {
  const unique = attributeList.map(list => [...new Map(list.filter(({ key }) => !isOrdered(key)).map(each => [each.key, each])).values()])
  const shuffled = unique.chain(list =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
  )
  const scope = fc.constantFrom('', 'ai', 'genkit-tracer', 'pydantic-ai', 'x')
  fc.assert(
    fc.property(shuffled, scope, ([list, other], name) => {
      expect(rowOf(other, name)).toEqual(rowOf(list, name))
    }),
    { numRuns: 100_000, interruptAfterTimeLimit: sized(4_000, 800) },
  )
})

test('of repeated keys, the later one wins', () => {
  const user = (...ids: readonly string[]) =>
    rowOf(
      ids.map(stringValue => ({ key: 'user.id', value: { stringValue } })),
      '',
    )
  expect(user('a', 'b')).toEqual(user('b'))
})
