import { expect, test } from 'vitest'
import { cityHash128, framesOf, rowsOfBlock } from './frames.ts'

/** The expected checksums come from the library github.com/go-faster/city. The client clickhouse-go verifies frames with this library. */
test.each([
  [33, 0x8a065e613be6ff11n, 0x35542546810ca846n],
  [64, 0x37e881b2006b0cf6n, 0xab8b4e4141170843n],
  [73, 0x40c4c96bc555119an, 0x25402a5c19f59929n],
  [109, 0x671718cdaa7406f3n, 0xc8137c8f4dd1459en],
  [143, 0x2306b4d414b0d326n, 0xe980bd41eb516895n],
])('%i bytes have the checksum that clickhouse-go wants', (length, low, high) => {
  expect(cityHash128(Buffer.from(Array.from({ length }, (_, at) => at * 7 + length)))).toEqual({ low, high })
})

test('frames contain all bytes, in order', () => {
  const bytes = Buffer.from(Array.from({ length: 1234 }, (_, at) => at))
  const frames = framesOf(bytes)
  const held: Buffer[] = []
  for (let at = 0; at < frames.length; ) {
    const end = at + 16 + frames.readUInt32LE(at + 17)
    held.push(frames.subarray(at + 25, end))
    at = end
  }
  expect(Buffer.concat(held)).toEqual(bytes)
})

test.each([
  ['as it is', false, Buffer.from([22, 0x80, 0x40, 9, 84])],
  [
    'in a frame with few literals',
    true,
    Buffer.concat([Buffer.alloc(16), Buffer.from([0x82]), Buffer.alloc(8), Buffer.from([0x72, 22, 0x80, 0x40])]),
  ],
  [
    'in a frame with many literals',
    true,
    Buffer.concat([Buffer.alloc(16), Buffer.from([0x82]), Buffer.alloc(8), Buffer.from([0xf2, 255, 3, 22, 0x80, 0x40])]),
  ],
])('rows of a block are read %s', (_, compressed, head) => {
  expect(rowsOfBlock(head, compressed)).toBe(8192)
})
