// Data of one project must not change the rows of another project. A record that is encoded twice must give the same rows twice. JSON.parse
// remembers keys (ADR 0038), and all projects share one reader (ADR 0039). Both could leak data.
import { decodeTraceRequest, encodeTraceRequest, recordedProtobufs, type Span } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { knownEvents } from '../src/rules/span-events.ts'
import { createSpanEventReader } from '../src/trace/span-event-reader.ts'
import { batchOf, recordOf, requestOf } from './mapped-rows.ts'

const encoder = createChunkEncoder()
const blockOf = (projectId: string, metadata: string) => {
  const request = requestOf({
    'svc.observation.metadata': metadata,
    'svc.observation.model.parameters': metadata,
    'svc.observation.input': metadata,
  })
  return encoder.encode([recordOf(batchOf(encodeTraceRequest(request), { projectId }))])
}

test.for([
  ['{"z":1,"\\t":2}', '{"z":1,"\\\\":0}'],
  ['{"z":1,"\\u4f60\\u597d":2}', '{"z":1,"\\\\u":0}'],
  ['{"temperature":1,"na\\u006de":2}', '{"temperature":1,"na\\\\u":0}'],
  ['{"z":1.50,"\\"":2}', '{"z":1,"\\\\":0}'],
] as const)('%s becomes the same block, whatever others have sent', ([mine, others]) => {
  const before = blockOf('mine', mine)
  for (let times = 0; times < 3; times++) blockOf('another', others)
  const after = blockOf('mine', mine)
  expect(after.hash).toBe(before.hash)
  expect(Buffer.concat(after.body)).toEqual(Buffer.concat(before.body))
})

const kinds = knownEvents()
const withEvents = (projectId: string, names: readonly string[], attributes: Span['attributes']) => {
  const span = { attributes: [], events: names.map(name => ({ name, attributes: attributes ?? [] })) }
  return recordOf(batchOf(encodeTraceRequest(requestOf({}, { span })), { projectId }))
}
const ofRecorded = recordedProtobufs()
  .flatMap(body => decodeTraceRequest(body).resourceSpans ?? [])
  .flatMap(({ scopeSpans }) => (scopeSpans ?? []).flatMap(({ spans }) => spans ?? []))
  .map(({ attributes }, at) => withEvents(`project-${at}`, at % 3 === 0 ? kinds : [kinds[at % kinds.length]!], attributes))
const ofMessages = ['a secret', 'a question', 'an answer'].flatMap(content =>
  kinds.map(kind => {
    const stringValue = JSON.stringify([{ 'event.name': 'gen_ai.user.message', content }])
    return withEvents(content, [kind], [{ key: 'events', value: { stringValue } }])
  }),
)
const records = [...ofMessages, ...ofRecorded]

test('a block contains nothing from other records’ events', () => {
  const used = createChunkEncoder()
  expect(records.length).toBeGreaterThan(100)
  // The test encodes the records in order and then in reverse order. For any two records A and B, the test thus encodes B after A, and A
  // after B.
  for (const record of [...records, ...records.toReversed()]) {
    const block = used.encode([record])
    expect(block.hash).toBe(createChunkEncoder().encode([record]).hash)
    used.recycle(block.body)
  }
})

test('the events of a trace contain nothing from other records', () => {
  const said = (reader: ReturnType<typeof createSpanEventReader>, value: Uint8Array) => {
    const found: unknown[] = []
    reader.read(value, (...one) => void found.push(structuredClone(one)))
    return found
  }
  const used = createSpanEventReader()
  for (const { value } of [...records, ...records.toReversed()]) expect(said(used, value)).toEqual(said(createSpanEventReader(), value))
})
