import { nothingDenied } from '@svc-server/deletions/denials'
import { entityOfRecord } from '@svc-server/entities/codec'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity } from '@svc-server/schema/entity'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Incoming, readRecord } from '../src/incoming.ts'
import { merge } from '../src/merge.ts'
import { ingestionRecord } from './events.ts'
import { startMs } from './spans.ts'

const environments = createEnvironmentNames({ prefixes: ['svc'] })
const identity = { projectId: 'p', entityType: 'trace', entityId: 't' } as const

function incomingOf(bodies: readonly object[]): readonly Incoming[] {
  return bodies.map((body, offset) => {
    const { record } = ingestionRecord({ ...identity, eventType: 'trace-create', eventId: `e${offset}`, atMs: startMs, body })
    const read = readRecord({ ...record, topic: 'ingestion', partition: 0, offset, timestampMs: startMs }, 'dual', environments)
    if (!read.ok) throw new Error(read.rejection.message)
    return read.incoming
  })
}

async function merged(bodies: readonly object[], maxEntityBytes: number) {
  let tries = 0
  const incoming = incomingOf(bodies)
  const nextTurn = async () => void tries++
  const result = await merge(
    { identity, key: 'p/trace/t', incoming },
    { merged: null, writeMode: null },
    { partition: 0, maxEntityBytes, denials: nothingDenied },
    nextTurn,
  )
  return { ...result, tries }
}

const member = (number: number, bytes = 40) => ({ metadata: { [`m${number}`]: 'x'.repeat(bytes) } })

test('of ten thousand events for a nearly full entity, all that fit are merged in a few attempts', async () => {
  const { entity, rejected, tries } = await merged(
    Array.from({ length: 10_000 }, (_, number) => member(number)),
    100_000,
  )
  expect(tries).toBeLessThanOrEqual(24)
  expect(entity!.value!.byteLength).toBeLessThanOrEqual(100_000)
  // The entity is almost full, so no further event would fit.
  expect(entity!.value!.byteLength).toBeGreaterThan(99_000)
  expect(rejected.length).toBeGreaterThan(8_000)
  expect(new Set(rejected.map(({ reason }) => reason))).toEqual(new Set(['too_large']))
})

test('one event that is too large does not affect the others, whatever its position', async () => {
  const small: object[] = Array.from({ length: 300 }, (_, number) => member(number))
  for (const place of [0, 150, 300]) {
    const { entity, rejected } = await merged(small.toSpliced(place, 0, { input: 'x'.repeat(200_000) }), 100_000)
    expect(rejected.map(({ offset }) => offset)).toEqual([place])
    expect(entityOfRecord(decodeEntity(entity!.value!)).state.metadata.members.size).toBe(300)
  }
})

test('every event is merged or dead-lettered, and the entity is never too large', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 300, max: 4000 }), async (bytes, limit) => {
      const { entity, rejected } = await merged(
        bytes.map((size, number) => member(number, size)),
        limit,
      )
      const taken = entity === null ? 0 : entityOfRecord(decodeEntity(entity.value!)).state.metadata.members.size
      expect(taken + rejected.length).toBe(bytes.length)
      expect(entity?.value?.byteLength ?? 0).toBeLessThanOrEqual(limit)
    }),
  )
})
