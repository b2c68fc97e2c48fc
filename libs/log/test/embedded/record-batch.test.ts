import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBatch, encodeBatch, encodeSparseBatch, mergeBatches, sealBatch } from '../../src/embedded/record-batch.ts'

const field = fc.option(fc.uint8Array({ maxLength: 30 }), { nil: null })
const records = fc.array(fc.record({ key: field, value: field }), { minLength: 1, maxLength: 10 })
const plain = (data: Uint8Array | null) => (data === null ? null : [...data])

test('property: encoded, merged and sealed batches are decoded unchanged', () =>
  fc.assert(
    fc.property(fc.array(records, { minLength: 1, maxLength: 4 }), fc.nat(2 ** 40), fc.nat(2 ** 42), (groups, base, time) => {
      const sealed = sealBatch(mergeBatches(groups.map(encodeBatch)), base, time)
      const decoded = decodeBatch(sealed, 't', 1)
      const all = groups.flat()
      expect(decoded).toMatchObject({ baseOffset: base, nextOffset: base + all.length, timestampMs: time })
      expect(decoded.records.map(({ key, value }) => [plain(key), plain(value)])).toEqual(
        all.map(({ key, value }) => [plain(key), plain(value)]),
      )
      expect(decoded.records.map(({ offset }) => offset)).toEqual(all.map((_, i) => base + i))
    }),
  ))

test('property: a sparse batch keeps its offsets and range', () =>
  fc.assert(
    fc.property(records, fc.nat(2 ** 40), fc.func(fc.boolean()), (all, base, stays) => {
      const full = decodeBatch(sealBatch(encodeBatch(all), base, 5), 't', 0)
      const kept = full.records.filter(({ offset }) => stays(offset))
      const sparse = decodeBatch(encodeSparseBatch(full, kept).bytes, 't', 0)
      expect(sparse).toMatchObject({ baseOffset: base, nextOffset: full.nextOffset, timestampMs: 5 })
      expect(sparse.records.map(({ offset, key, value }) => [offset, plain(key), plain(value)])).toEqual(
        kept.map(({ offset, key, value }) => [offset, plain(key), plain(value)]),
      )
    }),
  ))

test('property: any changed byte is detected', () =>
  fc.assert(
    fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, at, flip) => {
      const sealed = sealBatch(encodeBatch(all), 7, 7)
      sealed[at % sealed.length]! ^= flip
      expect(() => decodeBatch(sealed, 't', 0)).toThrow(expect.objectContaining({ code: 'log_corrupt' }))
    }),
  ))
