import { AppError } from '@svc-server/errors'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Pipeline } from '../src/runner.ts'
import { emit, reject } from '../src/stage.ts'
import { deadLettersOf, offsetsWithHoles, run, upTo } from './running.ts'
import { createScriptedLog, down, recordsAt } from './scripted-log.ts'

test('F09 · an open intent is rebuilt to exactly its range although more records are available', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(10)))
  scripted.commits.push({ offset: 2, metadata: '{"intent":[2,5],"mapping":"1"}', deadLetters: 0 })
  const seen = await run({ scripted })
  expect(await scripted.assign()).toEqual([{ topic: 'items', partition: 0, until: 6 }])
  await scripted.deliver()
  expect(seen.stored).toEqual([
    { first: 2, last: 5, offsets: [2, 3, 4, 5], inDoubt: true },
    { first: 6, last: 9, offsets: [6, 7, 8, 9], inDoubt: false },
  ])
})

test('F09 · when the fetch after a pause is shorter than the intent, the runner reads the missing records at the end', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(6)))
  let failures = 1
  const seen = await run({
    scripted,
    store: () => {
      if (failures-- > 0) throw new AppError('column_store_unavailable', 'down')
    },
  })
  expect(await scripted.deliver()).toEqual({ kind: 'pause', afterMs: 7 })
  expect(seen.deferrals).toEqual(['column_store_unavailable'])
  expect(await scripted.deliver({ records: 2 })).toEqual({ kind: 'done' })
  expect(seen.stored).toEqual([{ first: 0, last: 5, offsets: upTo(6), inDoubt: true }])
})

test('F46 · an empty read does not end an announced range, and the runner waits for the missing records at its end', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(6)))
  scripted.commits.push({ offset: 0, metadata: '{"intent":[0,5],"mapping":"1"}', deadLetters: 0 })
  const seen = await run({ scripted })
  await scripted.assign()
  scripted.hideReads(1)
  expect(await scripted.deliver({ records: 2 })).toEqual({ kind: 'pause', afterMs: 7 })
  expect(seen).toEqual({ stored: [], halts: [], deferrals: ['log_unavailable'] })
  expect(await scripted.deliver({ records: 2 })).toEqual({ kind: 'done' })
  expect(seen.stored).toEqual([{ first: 0, last: 5, offsets: upTo(6), inDoubt: true }])
})

test('a range without records, such as one of transaction markers, moves the offset', async () => {
  const scripted = createScriptedLog([], 12)
  await run({ scripted })
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(scripted.commits).toEqual([{ offset: 12, metadata: '', deadLetters: 0 }])
})

test('a stage that throws halts the consumer and moves no offset', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(3)))
  const seen = await run({
    scripted,
    stage: () => {
      throw new TypeError('a bug')
    },
  })
  await expect(scripted.deliver()).rejects.toThrow('a bug')
  expect(seen.halts).toHaveLength(1)
  expect(scripted.commits).toEqual([])
})

test('F15 · when the dead-letter limit trips, the partition halts without storing, dead-lettering or acknowledging the chunk, and retries it', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(30)))
  const seen = await run({
    scripted,
    stage: envelope => (envelope.position.offset === 0 ? emit(envelope) : reject('test', 'record_undecodable', 'no good')),
  })
  for (let attempt = 0; attempt < 3; attempt++) expect(await scripted.deliver()).toEqual({ kind: 'pause', afterMs: 70 })
  expect(seen.halts).toMatchObject(Array.from({ length: 3 }, () => ({ code: 'dead_letter_limit' })))
  expect(seen.stored).toEqual([])
  expect(scripted.appended).toEqual([])
  expect(scripted.commits.every(({ offset }) => offset === 0)).toBe(true)
})

test('F49 · a chunk with rejections that is retried during an outage does not trip the limit', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(300)))
  let failures = 50
  const seen = await run({
    scripted,
    deadLetters: deadLettersOf({ windowItems: 100_000, minRejected: 100, maxShare: 0.2 }),
    stage: envelope => (envelope.position.offset % 4 === 0 ? reject('test', 'record_undecodable', 'no good') : emit(envelope)),
    store: () => {
      if (failures-- > 0) throw down()
    },
  })
  for (let attempt = 0; attempt < 50; attempt++) expect(await scripted.deliver()).toEqual({ kind: 'pause', afterMs: 7 })
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(seen.halts).toEqual([])
  expect(scripted.appended).toHaveLength(75)
})

test('F49 · every rejection is counted once toward the limit, regardless of failures and retries', () =>
  fc.assert(
    fc.asyncProperty(
      offsetsWithHoles,
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.constantFrom('intent', 'store', 'halt', 'acknowledgement', 'none'), { maxLength: 20 }),
      async (offsets, maxRows, faults) => {
        const scripted = createScriptedLog(recordsAt(offsets))
        const seen: string[] = []
        const deadLetters = deadLettersOf({ windowItems: 1_000, minRejected: 1_000, maxShare: 1 })
        let fault: string | undefined
        const fail = (when: string) => {
          if (fault !== when) return null
          fault = undefined
          return when === 'halt' ? new AppError('column_store_data', 'mended by and by') : down()
        }
        scripted.failCommits(({ metadata }) => fail(metadata === '' ? 'acknowledgement' : 'intent'))
        await run({
          scripted,
          maxRows,
          stage: envelope => (envelope.position.offset % 2 === 0 ? reject('test', 'record_undecodable', 'no good') : emit(envelope)),
          store: () => {
            const error = fail('store') ?? fail('halt')
            if (error !== null) throw error
          },
          deadLetters: {
            ...deadLetters,
            acknowledged: tally => void seen.push(...tally.rejected.map(({ offset, index }) => `${offset}/${index}`)),
          },
        })
        for (fault of [...faults, undefined]) await scripted.deliver()
        expect(seen).toEqual(offsets.filter(offset => offset % 2 === 0).map(offset => `${offset}/null`))
      },
    ),
  ))

test('F18 · when dead letters cannot be written, the offset does not pass the bad record', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(3)))
  const seen = await run({
    scripted,
    stage: envelope => (envelope.position.offset === 1 ? reject('test', 'record_undecodable', 'no good') : emit(envelope)),
  })
  scripted.failCommits(({ metadata }) => (metadata === '' ? new AppError('log_full', 'dead-letter is full') : null))
  expect(await scripted.deliver()).toEqual({ kind: 'pause', afterMs: 7 })
  expect(scripted.commits.at(-1)!.offset).toBe(0)
  scripted.failCommits(null)
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(scripted.commits.at(-1)).toEqual({ offset: 3, metadata: '', deadLetters: 1 })
  expect(seen.stored.map(chunk => chunk.inDoubt)).toEqual([false, true])
})

test('F48 · a failure that only an operator can fix pauses the partition with its intent, and the runner retries without a restart', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(3)))
  let refusals = 2
  const seen = await run({
    scripted,
    store: () => {
      if (refusals-- > 0) throw new AppError('column_store_data', 'no such column')
    },
  })
  expect(await scripted.deliver()).toEqual({ kind: 'pause', afterMs: 70 })
  expect(await scripted.deliver()).toEqual({ kind: 'pause', afterMs: 70 })
  expect(scripted.commits.at(-1)).toMatchObject({ offset: 0 })
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(seen.halts).toMatchObject([{ code: 'column_store_data' }, { code: 'column_store_data' }])
  expect(seen.stored).toEqual([{ first: 0, last: 2, offsets: [0, 1, 2], inDoubt: true }])
})

test('the next owner gets the pipeline’s note from the intent, and items that the store refuses are dead-lettered', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(3)))
  const notes: string[] = []
  const pipeline: Pipeline<Uint8Array> = {
    versions: { mapping: '1' },
    prepare: async (chunk, { note, annotate }) => ({
      rejected: chunk.rejected,
      async store() {
        notes.push(note)
        if (note === '') {
          await annotate('1,2')
          throw down()
        }
        return [{ offset: 1, index: 0, stage: 'store', reason: 'store_refused', message: 'refused', owner: null, raw: Buffer.from('one') }]
      },
    }),
  }
  await run({ scripted, pipeline })
  expect(await scripted.deliver()).toEqual({ kind: 'pause', afterMs: 7 })
  expect(JSON.parse(scripted.commits.at(-1)!.metadata)).toEqual({ intent: [0, 2], note: '1,2', mapping: '1' })
  // The second run acts as the next owner of the partition.
  await run({ scripted, pipeline })
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(notes).toEqual(['', '1,2'])
  expect(scripted.commits.at(-1)).toEqual({ offset: 3, metadata: '', deadLetters: 1 })
})

test('the handler waits for a transient failure while its budget lasts', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(2)))
  let refusals = 3
  const seen = await run({ scripted, budgetMs: 60_000 })
  scripted.failCommits(() => (refusals-- > 0 ? down() : null))
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(seen.deferrals).toEqual([])
  expect(scripted.commits.at(-1)!.offset).toBe(2)
})

test('a refused intent fences the runner: it drops the chunk, which belongs to the next owner', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(2)))
  const seen = await run({ scripted })
  scripted.failCommits(() => new AppError('fenced', 'another member'))
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(seen).toMatchObject({ stored: [], deferrals: ['fenced'], halts: [] })
})

test('F22 · a stopped runner finishes the running chunk and begins no other', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(6)))
  const stop = new AbortController()
  const seen = await run({ scripted, maxRows: 2, store: () => stop.abort() })
  expect(await scripted.deliver({ signal: stop.signal })).toEqual({ kind: 'done' })
  expect(seen.stored.map(({ first, last }) => [first, last])).toEqual([[0, 1]])
  expect(scripted.commits.at(-1)).toEqual({ offset: 2, metadata: '', deadLetters: 0 })
})

test('F26 · a batch of slow chunks yields its slot between two chunks and continues at the same position', async () => {
  const scripted = createScriptedLog(recordsAt(upTo(6)))
  let now = 0
  const seen = await run({ scripted, maxRows: 1, clock: () => now, store: () => void (now += 300) })
  expect(await scripted.deliver()).toEqual({ kind: 'done' })
  expect(seen.stored.map(({ first }) => first)).toEqual([0, 1])
  expect(scripted.commits.at(-1)).toMatchObject({ offset: 2, metadata: '' })
  await scripted.deliver()
  await scripted.deliver()
  expect(seen.stored.map(({ first }) => first)).toEqual(upTo(6))
  expect(seen.stored.every(({ inDoubt }) => !inDoubt)).toBe(true)
})
