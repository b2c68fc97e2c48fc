import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { inflateBody, inflateBodySync } from '../src/inflate.ts'
import { type ContentEncoding, parseContentEncoding, parseMediaType } from '../src/media-type.ts'

const text = Buffer.from('spans and more spans '.repeat(5000))
const limit = text.length

const bodies: [name: string, encoding: ContentEncoding, body: Uint8Array][] = [
  ['gzip', 'gzip', zlib.gzipSync(text)],
  ['zstd', 'zstd', zlib.zstdCompressSync(text)],
  ['deflate, zlib', 'deflate', zlib.deflateSync(text)],
  ['deflate, raw', 'deflate', zlib.deflateRawSync(text)],
]
const both = async (body: Uint8Array, encoding: ContentEncoding, maxBytes: number) => {
  const settled = await inflateBody(body, encoding, maxBytes).catch(error => error)
  let direct: unknown
  try {
    direct = inflateBodySync(body, encoding, maxBytes)
  } catch (error) {
    direct = error
  }
  expect(direct).toEqual(settled)
  return settled
}

describe.each(bodies)('inflate %s', (_name, encoding, body) => {
  test('gives the bytes back, up to the limit exactly', async () => {
    expect(Buffer.compare(await both(body, encoding, limit), text)).toBe(0)
    expect(await both(body, encoding, limit - 1)).toMatchObject({ code: 'body_too_large', params: { limit: limit - 1 } })
  })

  test('F29 · cut anywhere, followed by garbage, or not compressed at all', async () => {
    for (let end = 0; end < body.length; end += 7)
      expect(await both(body.subarray(0, end), encoding, limit)).toMatchObject({ code: 'body_undecodable' })
    expect(await both(Buffer.concat([body, Buffer.from('garbage!')]), encoding, limit)).toMatchObject({ code: 'body_undecodable' })
    expect(await both(Buffer.from('{"resourceSpans":[]}'), encoding, limit)).toMatchObject({ code: 'body_undecodable' })
  })
})

describe('inflate', () => {
  test('members and frames in a row are one body', async () => {
    const twice = Buffer.concat([text, text])
    for (const [encoding, part] of [
      ['gzip', zlib.gzipSync(text)],
      ['zstd', zlib.zstdCompressSync(text)],
    ] as const) {
      const body = Buffer.concat([part, part])
      expect(Buffer.compare(await both(body, encoding, 2 * limit), twice)).toBe(0)
      expect(await both(body, encoding, 2 * limit - 1)).toMatchObject({ code: 'body_too_large' })
    }
    const frames = Buffer.concat(Array.from({ length: 65 }, () => zlib.zstdCompressSync(Buffer.from('x'))))
    expect(await both(frames, 'zstd', limit)).toMatchObject({ code: 'body_undecodable' })
  })

  test.each(['gzip', 'zstd', 'deflate'] as const)('F29 · 100 MB of zeros in %s take no memory', async encoding => {
    const compress = { gzip: zlib.gzipSync, zstd: zlib.zstdCompressSync, deflate: zlib.deflateSync }[encoding]
    const bomb = compress(Buffer.alloc(100_000_000))
    const before = process.memoryUsage().arrayBuffers
    expect(await both(bomb, encoding, 1_000_000)).toMatchObject({ code: 'body_too_large' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  })

  test('identity is passed through and limited', async () => {
    expect(await both(text, 'identity', limit)).toBe(text)
    expect(await both(text, 'identity', limit - 1)).toMatchObject({ code: 'body_too_large' })
  })
})

describe('headers', () => {
  test.each([
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['Application/JSON', 'json'],
    [' application/x-protobuf ;a=b', 'protobuf'],
  ])('Content-Type %j is %s', (header, format) => {
    expect(parseMediaType(header)).toBe(format)
  })

  test.each([undefined, '', 'text/plain', 'application/jsonx', 'text/plain; application/json', 'application/grpc'])(
    'Content-Type %j is refused',
    header => {
      expect(() => parseMediaType(header)).toThrow(expect.objectContaining({ code: 'content_type_unsupported' }))
    },
  )

  test.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['GZIP', 'gzip'],
    ['gzip, identity', 'gzip'],
    ['identity , zstd', 'zstd'],
    ['x-gzip', 'gzip'],
    ['deflate', 'deflate'],
  ])('Content-Encoding %j is %s', (header, encoding) => {
    expect(parseContentEncoding(header)).toBe(encoding)
  })

  test.each(['br', 'gzip, gzip', 'gzip; q=1', 'snappy'])('Content-Encoding %j is refused', header => {
    expect(() => parseContentEncoding(header)).toThrow(expect.objectContaining({ code: 'content_encoding_unsupported' }))
  })
})
