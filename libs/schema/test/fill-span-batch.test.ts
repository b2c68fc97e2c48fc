import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spanBatchHistory } from '../src/avro/history.ts'
import { createRecordCodec } from '../src/avro/record-codec.ts'
import { UndecodableRecord } from '../src/avro/undecodable-record.ts'
import { decodeSpanBatch, encodeSpanBatch, fillSpanBatch, type SpanBatch } from '../src/span-batch.ts'
import { spanBatch } from './span-batches.ts'

const outcomeOf = <T>(work: () => T) => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return error.reason
  }
}
type FillIn = Pick<SpanBatch, 'traceAttributes' | 'staged' | 'runItems'>
const fillInOf = ({ traceAttributes, staged = null, runItems = null }: SpanBatch): FillIn => ({ traceAttributes, staged, runItems })
const decodedAndEncoded = (bytes: Uint8Array, fillIn: FillIn) => {
  const batch = decodeSpanBatch(bytes)
  return { value: encodeSpanBatch({ ...batch, ...fillIn }), spanCount: batch.spanCount, writeMode: batch.writeMode ?? null }
}
const roomOf = (bytes: number) => (bytes === 0 ? undefined : Buffer.alloc(bytes))

test('a fill-in gives the same record as decoding, changing and encoding it, wherever it is written', () => {
  fc.assert(
    fc.property(spanBatch, spanBatch, fc.nat({ max: 5_000 }), (batch, other, room) => {
      const bytes = encodeSpanBatch(batch)
      const fillIn = fillInOf(other)
      expect(fillSpanBatch(bytes, fillIn, roomOf(room))).toEqual(decodedAndEncoded(bytes, fillIn))
    }),
  )
})

test('fills a record of an older version too', () => {
  for (const version of spanBatchHistory) {
    const older = createRecordCodec<SpanBatch>(version, [version])
    fc.assert(
      fc.property(spanBatch, spanBatch, (batch, other) => {
        const bytes = older.encode(batch)
        expect(fillSpanBatch(bytes, fillInOf(other))).toEqual(decodedAndEncoded(bytes, fillInOf(other)))
      }),
      { numRuns: 30 },
    )
  }
})

test('F17 · filling refuses exactly the damaged records that decoding refuses', () => {
  const damage = fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }), cut: fc.nat({ max: 3 }) })
  const fillIn = { traceAttributes: null, staged: null, runItems: null }
  const outcome = (fill: typeof fillSpanBatch, bytes: Uint8Array) => {
    const filled = outcomeOf(() => fill(bytes, fillIn))
    return typeof filled === 'string' ? filled : filled.spanCount
  }
  fc.assert(
    fc.property(spanBatch, damage, (batch, { at, byte, cut }) => {
      const whole = encodeSpanBatch(batch)
      const bytes = Buffer.from(whole.subarray(0, whole.length - cut))
      bytes[at % bytes.length] = byte
      expect(outcome(fillSpanBatch, bytes)).toBe(outcome(decodedAndEncoded, bytes))
    }),
    { numRuns: 1_000 },
  )
})
