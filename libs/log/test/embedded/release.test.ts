// A reader can free the memory of a batch without waiting for the garbage collector.
import { expect, test } from 'vitest'
import { keyless, topic, values } from '../conformance/harness.ts'
import { openTestLog } from './embedded-log.ts'

test.each([10, 100_000])('release frees the memory of read records of %i bytes, but not the copies of other readers', async bytes => {
  const { log } = await openTestLog([topic({})])
  const texts = ['a', 'b', 'c'].map(letter => letter.repeat(bytes))
  for (const text of texts) await log.append('spans', [keyless(text)])
  const [kept, given] = [await log.read('spans', 0, 0, 1_000_000), await log.read('spans', 0, 0, 1_000_000)]
  given.release!()
  given.release!()
  expect(values(kept.records)).toEqual(texts)
  expect(values((await log.read('spans', 0, 0, 1_000_000)).records)).toEqual(texts)
  expect(given.records.map(({ value }) => value!.length)).toEqual([0, 0, 0])
})

test('a batch without records has no memory to release', async () => {
  const { log } = await openTestLog([topic({})])
  expect((await log.read('spans', 0, 0, 100)).release).toBeUndefined()
})
