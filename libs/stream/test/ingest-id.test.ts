import { topicNames } from '@svc-server/modes/names'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { awaitedOf, createIngestIds, maxIngestIdChars } from '../src/ingest-id.ts'

const ids = createIngestIds('a-secret')
const position = fc.record({
  topic: fc.constantFrom(...Object.values(topicNames)),
  partition: fc.nat({ max: 63 }),
  offset: fc.nat({ max: Number.MAX_SAFE_INTEGER - 1 }),
  timestampMs: fc.constant(0),
})
const positions = fc.array(position, { minLength: 1, maxLength: 200 })

test('every process with the secret decrypts an id of its owner to the offset after the last record of each partition', () =>
  fc.assert(
    fc.property(fc.string(), positions, (owner, sent) => {
      const id = ids.seal(owner, sent)!
      expect(id.length).toBeLessThanOrEqual(maxIngestIdChars)
      const opened = createIngestIds('a-secret').open(owner, id)!
      const expected = awaitedOf(sent)
      expect([...opened.keys()].sort()).toEqual([...expected.keys()].sort())
      for (const [topic, partitions] of opened) {
        if (partitions !== 'all') expect(new Map(partitions)).toEqual(expected.get(topic))
      }
    }),
    { numRuns: 50 },
  ))

test('a request on many partitions waits for the whole topic, and its id still fits into a header', () => {
  const many = Array.from({ length: 500 }, (_, partition) => ({ topic: 'scores', partition, offset: 2 ** 50, timestampMs: 0 }))
  const id = ids.seal('project-0', many)!
  expect(id.length).toBeLessThan(100)
  expect(ids.open('project-0', id)).toEqual(new Map([['scores', 'all']]))
})

test('a request without records has no id', () => expect(ids.seal('project-0', [])).toBeUndefined())

test('an id cannot be decrypted for another project or deployment, or when it is changed or forged', () => {
  const id = ids.seal('project-0', [{ topic: 'scores', partition: 3, offset: 42, timestampMs: 0 }])!
  expect(ids.open('project-1', id)).toBeUndefined()
  expect(createIngestIds('another').open('project-0', id)).toBeUndefined()
  fc.assert(
    fc.property(fc.nat({ max: id.length - 1 }), fc.constantFrom('A', 'B', '!', ''), (at, character) => {
      const changed = id.slice(0, at) + character + id.slice(at + 1)
      fc.pre(!Buffer.from(changed.slice(1), 'base64url').equals(Buffer.from(id.slice(1), 'base64url')) || changed[0] !== id[0])
      expect(ids.open('project-0', changed)).toBeUndefined()
    }),
  )
  fc.assert(
    fc.property(fc.string({ maxLength: 3_000 }), text => {
      expect(ids.open('project-0', `1${text}`)).toBeUndefined()
    }),
  )
})
