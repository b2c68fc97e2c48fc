import { AppError } from '@svc-server/errors'
import { createLogger } from '@svc-server/service/logs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RowSelection } from '../src/destinations/row-encoder.ts'
import type { EncodeJob, EncoderHost } from '../src/encode/host.ts'
import { createIsolatingEncoder } from '../src/encode/isolate.ts'
import type { EncodedBlock } from '../src/encode/messages.ts'
import { projectId, spanBatch } from './world.ts'

const logger = createLogger({ service: 'test', level: 'silent' })
const value = spanBatch({ count: 1, seed: 'fixed' })
const jobOf = (count: number, only?: RowSelection): EncodeJob => ({
  table: 'events_full',
  topic: 'spans.direct',
  partition: 0,
  records: Array.from({ length: count }, (_, offset) => ({ offset, timestampMs: 0, value })),
  ...(only ? { only } : {}),
})

function encoderOf(throwsFor: (offset: number, only?: RowSelection) => boolean) {
  const encode = async ({ records, only }: EncodeJob) => {
    if (records.some(({ offset }) => throwsFor(offset, only))) throw new TypeError('a defect')
    return { rows: records.length, rejected: [], body: records.map(({ offset }) => offset) } as unknown as EncodedBlock
  }
  return createIsolatingEncoder<Pick<EncoderHost, 'encode'>>({ encode }, logger)
}

test('F15 · the records on which encoding throws are rejected, and all others are encoded', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.func(fc.boolean()), async (count, isBad) => {
      const offsets = Array.from({ length: count }, (_, offset) => offset)
      const { body, rejected } = await encoderOf(offset => isBad(offset)).encode(jobOf(count))
      expect(body).toEqual(offsets.filter(offset => !isBad(offset)))
      expect(rejected.map(({ offset }) => offset)).toEqual(offsets.filter(offset => isBad(offset)))
      for (const each of rejected)
        expect(each).toMatchObject({ index: null, reason: 'exception', projectId, message: 'TypeError: a defect' })
    }),
  ))

test('a job for some rows leaves out the records that the job for all rows left out, although they would not throw', async () => {
  const encoder = encoderOf((offset, only) => offset === 2 && only === undefined)
  await encoder.encode(jobOf(4))
  expect((await encoder.encode(jobOf(4, new Map([[0, new Set([0])]])))).body).toEqual([0, 1, 3])
})

test('a stopped encoder rejects no record', async () => {
  const encoder = createIsolatingEncoder<Pick<EncoderHost, 'encode'>>(
    { encode: () => Promise.reject(new AppError('draining', 'stopped')) },
    logger,
  )
  await expect(encoder.encode(jobOf(4))).rejects.toMatchObject({ code: 'draining' })
})
