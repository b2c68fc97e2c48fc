import { buffer } from 'node:stream/consumers'
import { constants, createZstdCompress, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodedSize } from './decoded-size.ts'

const compressible = fc
  .tuple(fc.uint8Array({ maxLength: 600 }), fc.nat(400))
  .map(([bytes, times]) => Buffer.concat(Array(times + 1).fill(bytes)))

test('reads the decoded size of gzip, zstd and uncompressed bodies exactly', () => {
  fc.assert(
    fc.property(compressible, bytes => {
      expect(decodedSize(bytes, 'identity')).toEqual({ bytes: bytes.length, declared: true })
      expect(decodedSize(gzipSync(bytes), 'gzip')).toEqual({ bytes: bytes.length, declared: true })
      const zstd = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
      const size = decodedSize(zstd, 'zstd')
      if (size.declared) expect(size.bytes).toBe(bytes.length)
    }),
  )
})

test('estimates the size of bodies that do not declare it, never below the minimum for small bodies', async () => {
  const bytes = Buffer.alloc(100_000, 'span ')
  expect(decodedSize(deflateSync(bytes), 'deflate')).toEqual({ bytes: 65_536, declared: false })
  const streamed = createZstdCompress()
  streamed.write(bytes.subarray(0, 10))
  streamed.flush()
  streamed.end(bytes)
  expect(decodedSize(await buffer(streamed), 'zstd').declared).toBe(false)
  expect(decodedSize(Buffer.from('short'), 'gzip').declared).toBe(false)
})
