import { expect, test } from 'vitest'
import type { EncodedRows } from '../destinations/row-encoder.ts'
import type { EncodeJob, EncoderHost } from './host.ts'
import { createEncoderLanes } from './lanes.ts'

const jobOf = (topic: string): EncodeJob => ({ table: 'rows', topic, partition: 0, records: [] })

function waitingEncoders() {
  const seen: { jobs: string[]; recycled: EncodedRows[]; stopped: boolean; answer: () => void }[] = []
  const create = (): EncoderHost => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = { jobs: [] as string[], recycled: [] as EncodedRows[], stopped: false, answer: resolve }
    seen.push(own)
    return {
      async encode({ topic }) {
        own.jobs.push(topic)
        await promise
        return { columns: [], body: [], hash: '', rows: 0, items: 0, denied: 0, matched: [], rejected: [], outcomes: {} }
      },
      places: async () => [],
      raws: async () => [],
      recycle: encoded => void own.recycled.push(encoded),
      stop: async () => void (own.stopped = true),
    }
  }
  return { seen, create }
}

test('F26 · a background job delays no other job, and each thread gets its own memory back', async () => {
  const { seen, create } = waitingEncoders()
  const lanes = createEncoderLanes(['overflow'], create)
  const [front, background] = seen as [(typeof seen)[0], (typeof seen)[0]]
  const behind = lanes.encode(jobOf('overflow'))
  front.answer()
  const first = await lanes.encode(jobOf('direct'))
  expect([front.jobs, background.jobs]).toEqual([['direct'], ['overflow']])
  background.answer()
  // A later stage of the writer can copy a result and add fields to the copy. The copy's memory must return to the encoder that made the
  // result.
  const second = { ...(await behind), rejected: [] }
  lanes.recycle(second)
  lanes.recycle(first)
  expect([front.recycled, background.recycled]).toEqual([[first], [second]])
  await lanes.stop()
  expect(seen.map(({ stopped }) => stopped)).toEqual([true, true])
})
