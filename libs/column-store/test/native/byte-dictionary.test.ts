import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteDictionary } from '../../src/native/byte-dictionary.ts'
import { byteSource } from '../../src/native/byte-source.ts'

/**
 * A key consists of 8 blocks of 8 bytes. Each block has one of two values, whose hashes are equal for every seed. The 256 possible keys
 * therefore all have the same hash.
 */
const alike = (choice: number): Buffer => {
  const key = Buffer.alloc(64, 0x61)
  for (let block = 0; block < 8; block++) {
    if (((choice >> block) & 1) === 0) continue
    key[block * 8 + 3]! ^= 0x80
    key[block * 8 + 7]! ^= 0x80
    key[block * 8 + 6]! ^= 0x01
  }
  return key
}
const key = fc.oneof(
  fc.nat(255).map(alike),
  fc.uint8Array({ maxLength: 5 }).map(bytes => Buffer.from(bytes)),
)

test('entries are numbered by first use, even when all keys share one hash', () => {
  const dictionary = new ByteDictionary()
  fc.assert(
    fc.property(fc.array(key, { maxLength: 400 }), keys => {
      dictionary.clear()
      const model = new Map<string, number>()
      for (const bytes of keys) {
        const source = byteSource(bytes)
        const text = bytes.toString('latin1')
        expect(dictionary.find(source, 0, bytes.length)).toBe(model.get(text) ?? -1)
        if (!model.has(text)) model.set(text, model.size)
        expect(dictionary.add(source, 0, bytes.length)).toBe(model.get(text))
      }
      expect(dictionary.size).toBe(model.size)
      for (const [text, number] of model) {
        const bytes = Buffer.from(text, 'latin1')
        expect(dictionary.find(byteSource(bytes), 0, bytes.length)).toBe(number)
      }
    }),
    { numRuns: 60 },
  )
})
