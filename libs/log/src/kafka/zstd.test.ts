import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decompress } from './zstd.ts'

test('a batch that another producer wrote in several frames is read completely', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 5 }), async parts => {
      const read = await decompress(Buffer.concat(parts.map(part => zstdCompressSync(part))))
      expect(read.equals(Buffer.concat(parts))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('a truncated frame is an error', async () => {
  const frame = zstdCompressSync(Buffer.from('spans'))
  await expect(decompress(Buffer.concat([frame, frame.subarray(0, -2)]))).rejects.toThrow(/end of file/)
  await expect(decompress(Buffer.alloc(0))).rejects.toThrow(/end of file/)
})
