// The test's log sometimes returns no records. The reader must return the whole range or an error.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventLog, FetchedBatch, LogRecord } from '../src/port.ts'
import { readRange, readWithin } from '../src/read-range.ts'

interface Answer {
  readonly records: number
  /**
   * Where the log ends according to the result of the read. `true` means the real end. `here` means that the result wrongly says that the
   * log ends at `nextOffset`.
   */
  readonly end: 'true' | 'here'
}

const at = { topic: 'spans', partition: 0 }

function scripted(offsets: readonly number[], end: number, answers: readonly Answer[]): Pick<EventLog, 'read'> {
  let asked = 0
  return {
    async read(topic, partition, from): Promise<FetchedBatch> {
      const answer = answers[asked++] ?? { records: 3, end: 'true' }
      const rest = offsets.filter(offset => offset >= from)
      const records = rest.slice(0, answer.records).map((offset): LogRecord => ({ ...at, offset, timestampMs: 0, key: null, value: null }))
      const nextOffset = answer.records === 0 ? from : (rest[answer.records] ?? end)
      return { topic, partition, records, nextOffset, highWatermark: answer.end === 'true' ? end : nextOffset }
    },
  }
}

const offsetsWithHoles = fc.uniqueArray(fc.nat(30), { maxLength: 20 }).map(offsets => offsets.sort((a, b) => a - b))
const answer = fc.record({ records: fc.nat(3), end: fc.constantFrom('true' as const, 'here' as const) })

test('F46 · a reader gets the whole range or an error, even if some reads return nothing', () =>
  fc.assert(
    fc.asyncProperty(offsetsWithHoles, fc.array(answer, { maxLength: 12 }), fc.nat(31), fc.nat(31), async (offsets, answers, a, b) => {
      const [from, until] = [Math.min(a, b), Math.max(a, b)]
      const wanted = offsets.filter(offset => offset >= from && offset < until)
      const read: number[] = []
      let next = from
      try {
        for await (const batch of readRange(scripted(offsets, 31, answers), { ...at, from, until }, 100)) {
          read.push(...batch.records.map(({ offset }) => offset))
          next = batch.nextOffset
        }
        expect(read).toEqual(wanted)
        expect(next).toBe(until)
      } catch (error) {
        expect(error).toMatchObject({ code: 'log_unavailable' })
        expect(answers.some(({ records }) => records === 0)).toBe(true)
        expect(read).toEqual(wanted.filter(offset => offset < next))
      }
    }),
  ))

test('F46 · beyond a range the response itself shows whether more records exist', async () => {
  const log = (answers: readonly Answer[]) => scripted([0, 1], 2, answers)
  await expect(readWithin(log([{ records: 0, end: 'true' }]), { ...at, from: 1, until: 0 }, 1)).rejects.toMatchObject({
    code: 'log_unavailable',
    params: { offset: 1, end: 2 },
  })
  expect(await readWithin(log([{ records: 0, end: 'here' }]), { ...at, from: 1, until: 0 }, 1)).toMatchObject({ nextOffset: 1 })
  expect(await readWithin(log([]), { ...at, from: 2, until: 0 }, 1)).toMatchObject({ records: [], nextOffset: 2 })
})
