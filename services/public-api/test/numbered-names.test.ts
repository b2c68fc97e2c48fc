// Member names that are whole numbers must not exhaust the memory. The comment of `objectOf` (`libs/json`) explains the danger.

import { storableJson } from '@svc-server/relational/json'
import { expect, test } from 'vitest'
import type { EventOutcome } from '../src/events/event.ts'
import type { ScorePlan } from '../src/events/score-batch.ts'
import { createPayloadWorkers } from '../src/work/payload-workers.ts'
import { now, planned, terms } from './acceptance.ts'

const many = 60_000
const sparse = { 1023: 1 }
const textSparse = { 1023: '1' }
const named = (count: number, value: object) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]))

/** Returns the bytes that the work added to the heap. These bytes include garbage. */
function addedBy(work: () => unknown): number {
  const before = process.memoryUsage().heapUsed
  const kept = work()
  const added = process.memoryUsage().heapUsed - before
  expect(kept).toBeDefined()
  return added
}

test.for([
  ['usageDetails', named(many, sparse)],
  ['modelParameters', named(many, textSparse)],
  ['metadata', Array.from({ length: many }, () => sparse)],
  ['input', Array.from({ length: many }, () => sparse)],
] as const)('a batch with 60,000 objects with numeric names in %s takes bounded memory', ([field, value]) => {
  const event = {
    id: '1',
    timestamp: new Date(now).toISOString(),
    type: 'generation-create',
    body: { id: 'g', traceId: 't', [field]: value },
  }
  const body = Buffer.from(JSON.stringify({ batch: [event] }))
  let outcomes: unknown = []
  // These objects would take 750 MB if they were built member by member.
  expect(addedBy(() => (outcomes = planned('ingestion.batch', body)))).toBeLessThan(250e6)
  expect(outcomes).toMatchObject([{ kind: 'record', id: '1' }])
})

test.for([
  [
    'ingestion.batch',
    (score: object) => ({ batch: [{ id: 'e', type: 'score-create', timestamp: new Date(now).toISOString(), body: score }] }),
  ],
  ['scores.create', (score: object) => [score]],
] as const)('a score with such objects as metadata, parsed in a thread, takes bounded memory: %s', async ([operationId, bodyOf]) => {
  const metadata = Array.from({ length: many }, () => sparse)
  const body = Buffer.from(JSON.stringify(bodyOf({ id: 's', traceId: 't', name: 'quality', value: 1, metadata })))
  const payloads = createPayloadWorkers(2)
  const before = process.memoryUsage().heapUsed
  const made = (await payloads.parse({ kind: 'body', operationId, body, terms }, 'p')) as ScorePlan | readonly EventOutcome[]
  // The metadata reaches this thread as text. Objects would be built here member by member, and would take much more memory.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6)
  const [first] = 'items' in made ? made.items : made
  expect(first).toMatchObject({ score: { id: 's', metadata: JSON.stringify(metadata) } })
  await payloads.stop()
})

test('a run with such objects as metadata takes bounded memory', () => {
  const metadata = Array.from({ length: many }, () => ({ 1023: 1, a: 'x' }))
  let json: string | null = null
  expect(addedBy(() => (json = storableJson(metadata)))).toBeLessThan(250e6)
  expect(JSON.parse(json!)).toEqual(metadata)
})
