// Names of members are clients' to choose: whole numbers among them must not take the process (objectOf of libs/json says why).

import { storableJson } from '@svc-server/relational/json'
import { expect, test } from 'vitest'
import { planBatch } from '../src/events/batch.ts'
import type { ScoreJob } from '../src/events/score-batch.ts'
import { createPlanner } from '../src/work/planner.ts'
import { acceptance, now, window } from './acceptance.ts'

const many = 60_000
const sparse = { 1023: 1 }
const textSparse = { 1023: '1' }
const named = (count: number, value: object) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]))

/** Bytes of heap that are added by the work, of which a part is garbage. */
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
] as const)('a batch with 60,000 objects with such names in %s', ([field, value]) => {
  const event = {
    id: '1',
    timestamp: new Date(now).toISOString(),
    type: 'generation-create',
    body: { id: 'g', traceId: 't', [field]: value },
  }
  const body = Buffer.from(JSON.stringify({ batch: [event] }))
  let outcomes: ReturnType<typeof planBatch> = []
  // Made member by member they are 750 MB.
  expect(addedBy(() => (outcomes = planBatch({ kind: 'batch', body, acceptance, scoresOnly: false, window })))).toBeLessThan(250e6)
  expect(outcomes).toMatchObject([{ kind: 'record', id: '1' }])
})

test.for([
  ['batch', (score: object) => ({ batch: [{ id: 'e', type: 'score-create', timestamp: new Date(now).toISOString(), body: score }] })],
  ['scores', (score: object) => [score]],
] as const)('a score with metadata of such objects, planned in a thread: %s', async ([kind, bodyOf]) => {
  const metadata = Array.from({ length: many }, () => sparse)
  const body = Buffer.from(JSON.stringify(bodyOf({ id: 's', traceId: 't', name: 'quality', value: 1, metadata })))
  const planner = createPlanner(2)
  const before = process.memoryUsage().heapUsed
  const plan = kind === 'batch' ? { kind, body, acceptance, scoresOnly: true, window } : { kind, body, window }
  const planned = await planner.plan(plan as ScoreJob, 'p')
  // Objects that a thread hands over are made member by member.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6)
  const [first] = Array.isArray(planned) ? planned : planned.items
  expect(first).toMatchObject({ score: { id: 's', metadata: JSON.stringify(metadata) } })
  await planner.stop()
})

test('a run with metadata of such objects', () => {
  const metadata = Array.from({ length: many }, () => ({ 1023: 1, a: 'x' }))
  let json: string | null = null
  expect(addedBy(() => (json = storableJson(metadata)))).toBeLessThan(250e6)
  expect(JSON.parse(json!)).toEqual(metadata)
})
