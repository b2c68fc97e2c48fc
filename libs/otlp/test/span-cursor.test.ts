import { describe, expect, test } from 'vitest'
import { forEachSpan, SpanCursor } from '../src/span-cursor.ts'
import { decode, encode, encodeRequest } from './oracle.ts'
import { field, join } from './raw.ts'

const resource = (name: string) => encode('Resource', { attributes: [{ key: name }] })
const scope = (name: string) => encode('InstrumentationScope', { name })
const span = (name: string) => encode('Span', { name })

const walk = (bytes: Uint8Array) => {
  const seen: { index: number; resource: unknown; scope: unknown; span: unknown; at: [number, number] }[] = []
  forEachSpan(bytes, c => {
    seen.push({
      index: c.index,
      resource: decode('Resource', bytes.subarray(c.resourceStart, c.resourceEnd)),
      scope: decode('InstrumentationScope', bytes.subarray(c.scopeStart, c.scopeEnd)),
      span: decode('Span', bytes.subarray(c.spanStart, c.spanEnd)),
      at: [c.resourceIndex, c.scopeIndex],
    })
  })
  return seen
}

describe('span cursor', () => {
  test('yields every span with its resource and scope in wire order', () => {
    const bytes = encodeRequest({
      resourceSpans: [
        { resource: { attributes: [{ key: 'r0' }] }, scopeSpans: [{ scope: { name: 's0' }, spans: [{ name: 'a' }, { name: 'b' }] }] },
        { scopeSpans: [{ spans: [{ name: 'c' }] }, { scope: { name: 's2' }, spans: [{ name: 'd' }] }] },
      ],
    })
    expect(walk(bytes)).toEqual([
      { index: 0, resource: { attributes: [{ key: 'r0' }] }, scope: { name: 's0' }, span: { name: 'a' }, at: [0, 0] },
      { index: 1, resource: { attributes: [{ key: 'r0' }] }, scope: { name: 's0' }, span: { name: 'b' }, at: [0, 0] },
      { index: 2, resource: {}, scope: {}, span: { name: 'c' }, at: [1, 1] },
      { index: 3, resource: {}, scope: { name: 's2' }, span: { name: 'd' }, at: [1, 2] },
    ])
  })

  test('finds a resource and a scope that follow their spans, and uses the last of two', () => {
    const scopeSpans = join(field(2, span('a')), field(1, scope('early')), field(1, scope('late')))
    const bytes = field(1, join(field(2, scopeSpans), field(1, resource('early')), field(1, resource('late'))))
    expect(walk(bytes)).toMatchObject([{ resource: { attributes: [{ key: 'late' }] }, scope: { name: 'late' }, span: { name: 'a' } }])
  })

  test('skips unknown fields, groups, padded varints and fields of another wire type', () => {
    const junk = Uint8Array.of(0x98, 0x06, 0x80, 0x01, 0xa3, 0x06, 0x0a, 0x01, 0x41, 0x2b, 0x2c, 0xa4, 0x06, 0x10, 0x07, 0x0d, 1, 2, 3, 4)
    const padded = Uint8Array.of(0x92, 0x80, 0x00, 0x83, 0x80, 0x80, 0x00, ...span('p'))
    const bytes = join(junk, field(1, join(junk, field(2, join(junk, padded, junk, field(2, span('q')))), junk)), junk)
    expect(walk(bytes).map(s => s.span)).toEqual([{ name: 'p' }, { name: 'q' }])
  })

  test('finds no spans in empty envelopes', () => {
    expect(forEachSpan(new Uint8Array(0), () => undefined)).toBe(0)
    expect(forEachSpan(encodeRequest({ resourceSpans: [{}, { scopeSpans: [{}] }] }), () => undefined)).toBe(0)
  })

  test('rejects a length that exceeds its message, with its position', () => {
    const cursor = new SpanCursor(Uint8Array.of(0x0a, 0x05, 0x12, 0x09, 0x12, 0x01, 0x00))
    expect(() => cursor.next()).toThrow(expect.objectContaining({ code: 'body_undecodable', params: { position: 4 } }))
  })
})
