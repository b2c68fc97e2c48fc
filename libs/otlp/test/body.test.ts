import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { inflateBody, inflateBodySync } from '../src/inflate.ts'
import { createKeptZstd, createKeptZstdEncoder } from '../src/kept-zstd.ts'
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
  test('returns the original bytes, up to exactly the limit', async () => {
    expect(Buffer.compare(await both(body, encoding, limit), text)).toBe(0)
    expect(await both(body, encoding, limit - 1)).toMatchObject({ code: 'body_too_large', params: { limit: limit - 1 } })
  })

  test('F29 · rejects a body that is truncated anywhere, followed by garbage, or not compressed', async () => {
    for (let end = 0; end < body.length; end += 7)
      expect(await both(body.subarray(0, end), encoding, limit)).toMatchObject({ code: 'body_undecodable' })
    expect(await both(Buffer.concat([body, Buffer.from('garbage!')]), encoding, limit)).toMatchObject({ code: 'body_undecodable' })
    expect(await both(Buffer.from('{"resourceSpans":[]}'), encoding, limit)).toMatchObject({ code: 'body_undecodable' })
  })
})

describe('inflate', () => {
  test('joins consecutive members and frames to one body', async () => {
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

  test.each(['gzip', 'zstd', 'deflate'] as const)('F29 · rejects 100 MB of zeros in %s without holding them in memory', async encoding => {
    const compress = { gzip: zlib.gzipSync, zstd: zlib.zstdCompressSync, deflate: zlib.deflateSync }[encoding]
    const bomb = compress(Buffer.alloc(100_000_000))
    const before = process.memoryUsage().arrayBuffers
    expect(await both(bomb, encoding, 1_000_000)).toMatchObject({ code: 'body_too_large' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  })

  test('returns an identity body unchanged, within the limit', async () => {
    expect(await both(text, 'identity', limit)).toBe(text)
    expect(await both(text, 'identity', limit - 1)).toMatchObject({ code: 'body_too_large' })
  })
})

describe('the reused zstd decoder', () => {
  const checked = { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } }

  test('is supported by this Node version', () => {
    expect(createKeptZstd({}).isSupported).toBe(true)
  })

  test.each([
    ['small', Buffer.from('x')],
    ['compressed', text],
    ['of several blocks', Buffer.from(Array.from({ length: 400_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24))],
    ['empty', Buffer.alloc(0)],
  ])('F29 · gives the same result after any earlier body: %s', (_name, whole) => {
    const body = zlib.zstdCompressSync(whole, checked)
    const inflate = (bytes: Uint8Array) => inflateBodySync(bytes, 'zstd', 1_000_000, whole.length)
    const intact = () => expect(Buffer.compare(inflate(body), whole)).toBe(0)
    const step = Math.ceil(body.length / 150)
    for (let end = 0; end < body.length; end += end > body.length - 20 ? 1 : step) {
      expect(() => inflate(body.subarray(0, end))).toThrow(expect.objectContaining({ code: 'body_undecodable' }))
      intact()
      const damaged = Buffer.from(body)
      damaged[end]! ^= 0x11
      expect(settledOf(() => inflate(damaged))).toEqual(settledOf(() => Buffer.from(zlib.zstdDecompressSync(damaged))))
      intact()
    }
    expect(Buffer.compare(inflate(Buffer.concat([body, body])), Buffer.concat([whole, whole]))).toBe(0)
    expect(() => inflate(Buffer.concat([body, Buffer.from('garbage!')]))).toThrow(expect.objectContaining({ code: 'body_undecodable' }))
    intact()
  })

  test('returns the whole body up to the limit even when the expected size is wrong', () => {
    const body = zlib.zstdCompressSync(text)
    for (const expected of [0, 1, limit - 1, limit, limit + 1, 10 * limit]) {
      expect(Buffer.compare(inflateBodySync(body, 'zstd', limit, expected), text)).toBe(0)
      expect(() => inflateBodySync(body, 'zstd', limit - 1, expected)).toThrow(expect.objectContaining({ code: 'body_too_large' }))
    }
  })
})

describe('the reused zstd encoder', () => {
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1 }
  const encoder = createKeptZstdEncoder(params)
  const noise = Buffer.from(Array.from({ length: 1_048_577 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 23))
  const words = Buffer.alloc(1_048_577, text)

  test('is supported by this Node version', () => {
    expect(encoder.isSupported).toBe(true)
  })

  test('returns the same bytes as a new encoder, whatever it encoded before', () => {
    for (const bytes of [0, 1, 511, 8_000, 131_071, 131_072, 131_073, 262_144, 400_000, 1_048_575, 1_048_576]) {
      for (const body of [
        noise.subarray(0, bytes),
        words.subarray(0, bytes),
        Buffer.concat([words, noise]).subarray(1_000_000, 1_000_000 + bytes),
      ])
        expect(Buffer.compare(encoder.deflate(body)!, zlib.zstdCompressSync(body, { params }))).toBe(0)
    }
  })

  test('returns undefined for larger bodies', () => {
    expect(encoder.deflate(noise)).toBeUndefined()
    expect(Buffer.compare(encoder.deflate(text)!, zlib.zstdCompressSync(text, { params }))).toBe(0)
  })
})

/** Returns undefined if decompression fails. */
function settledOf(inflate: () => Uint8Array): Uint8Array | undefined {
  try {
    return inflate()
  } catch {
    return undefined
  }
}

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
    'rejects Content-Type %j',
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

  test.each(['br', 'gzip, gzip', 'gzip; q=1', 'snappy'])('rejects Content-Encoding %j', header => {
    expect(() => parseContentEncoding(header)).toThrow(expect.objectContaining({ code: 'content_encoding_unsupported' }))
  })
})
