// The gateway's scan, the OTLP/JSON reader, and the mapping must have the same limit of 100 nested containers.

import { transcodeJsonRequest } from '@svc-server/otlp/json/transcode'
import { scanTraceRequest } from '@svc-server/otlp/scan'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

const field = (number: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const length: number[] = []
  let rest = content.length
  for (; rest > 0x7f; rest >>= 7) length.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), content])
}

/** The same value, encoded as JSON and as protobuf. */
interface Both {
  readonly json: string
  readonly wire: Buffer
}

const bottoms: Readonly<Record<string, Both & { readonly containers: number }>> = {
  text: { json: '{"stringValue":"deep"}', wire: field(1, Buffer.from('deep')), containers: 0 },
  number: { json: '{"intValue":1}', wire: Buffer.of(0x18, 1), containers: 0 },
  nothing: { json: '{}', wire: Buffer.alloc(0), containers: 0 },
  'an empty list': { json: '{"arrayValue":{}}', wire: field(5), containers: 1 },
  'an empty map': { json: '{"kvlistValue":{"values":[]}}', wire: field(6), containers: 1 },
}
const sibling: Both = { json: '{"arrayValue":{"values":[{"intValue":1}]}}', wire: field(5, field(1, Buffer.of(0x18, 1))) }

const named = ({ json, wire }: Both): Both => ({
  json: `{"key":"k","value":${json}}`,
  wire: Buffer.concat([field(1, Buffer.from('k')), field(2, wire)]),
})
const listOf = (...values: readonly Both[]): Both => ({
  json: `{"arrayValue":{"values":[${values.map(({ json }) => json).join(',')}]}}`,
  wire: field(5, ...values.map(({ wire }) => field(1, wire))),
})
const mapOf = (...values: readonly Both[]): Both => ({
  json: `{"kvlistValue":{"values":[${values.map(value => named(value).json).join(',')}]}}`,
  wire: field(6, ...values.map(value => field(1, named(value).wire))),
})

const value = fc
  .record({
    bottom: fc.constantFrom(...Object.keys(bottoms)),
    wraps: fc.array(fc.constantFrom('list', 'map', 'list beside', 'map behind'), { minLength: 97, maxLength: 103 }),
  })
  .map(({ bottom, wraps }) => {
    const wrap = (inner: Both, how: string) =>
      how === 'list' ? listOf(inner) : how === 'map' ? mapOf(inner) : how === 'list beside' ? listOf(inner, sibling) : mapOf(sibling, inner)
    const made = wraps.reduce<Both>(wrap, bottoms[bottom]!)
    // The wrappers `list beside` and `map behind` put `sibling` next to the nested value. `sibling` is one container deep.
    const deeper = (depth: number, how: string) => Math.max(depth, how.includes(' ') ? 1 : 0) + 1
    return { made, containers: wraps.reduce(deeper, bottoms[bottom]!.containers) }
  })

const ids = { json: '"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331"' }
const idBytes = Buffer.from('0a100af7651916cd43dd8448eb211c80319c1208b7ad6b7169203331', 'hex')
const places: Readonly<Record<string, (value: Both) => Both>> = {
  'an attribute': v => ({ json: `"attributes":[${named(v).json}]`, wire: field(9, named(v).wire) }),
  'an event': v => ({ json: `"events":[{"attributes":[${named(v).json}]}]`, wire: field(11, field(3, named(v).wire)) }),
  'a link': v => ({ json: `"links":[{"attributes":[${named(v).json}]}]`, wire: field(13, field(4, named(v).wire)) }),
}

const scan = (bytes: Uint8Array) => scanTraceRequest(bytes, { receivedAtMs, maxAgeMonths: 36 }).rejected.map(({ reason }) => reason)
const encode = (bytes: Uint8Array) =>
  createChunkEncoder()
    .encode([recordOf(batchOf(bytes))])
    .rejected.map(({ reason }) => reason)

test('F29 · every reader rejects a span from the 101st container on', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(...Object.keys(places)), ({ made, containers }, place) => {
      const { json, wire } = places[place]!(made)
      const asWire = field(1, field(2, field(2, idBytes, wire)))
      const asJson = transcodeJsonRequest(Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[{${ids.json},${json}}]}]}]}`))
      const refused = containers > 100 ? ['too_deep'] : []
      expect(scan(asWire)).toEqual(refused)
      expect(scan(asJson)).toEqual(refused)
      // The writer does not read links. The writer reads an event only if a rule uses the event's name.
      if (place === 'an attribute' || containers <= 100) expect(encode(asWire)).toEqual(refused)
    }),
    { numRuns: 150 },
  )
})
