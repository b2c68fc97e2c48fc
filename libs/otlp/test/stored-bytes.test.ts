import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storedBytes } from '../src/stored-bytes.ts'

const piece = fc.oneof(
  fc.string({ unit: 'binary' }).map(text => Buffer.from(text)),
  fc.uint8Array({ maxLength: 8 }),
)

test('F50 · is never less than the stored size, and exact for valid UTF-8', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
      const bytes = Buffer.concat(pieces)
      const stored = Buffer.byteLength(bytes.toString('utf8'))
      const counted = storedBytes(bytes, 0, bytes.length)
      expect(counted).toBeGreaterThanOrEqual(stored)
      expect(counted).toBeLessThanOrEqual(3 * bytes.length)
      const text = Buffer.from(bytes.toString('utf8'))
      expect(storedBytes(text, 0, text.length)).toBe(text.length)
    }),
    { numRuns: sized(2000, 500) },
  )
})
