// The audit and the writer compute the keys of an entity's rows with separate code. The test compares the keys of the audit with the keys
// of the writer for random histories.
import { wrapperText } from '@svc-server/entities/merged'
import { type EntityState, nothingSaid } from '@svc-server/entities/state'
import { topicNames } from '@svc-server/modes/names'
import type { EntityRecord } from '@svc-server/schema/entity'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsOfEntity } from '../src/entity-rows.ts'
import { appendMs, eventRows, oldRows, type Said, versionsOf } from './entities.ts'

const dayMs = 86_400_000
const times = fc.integer({ min: -3, max: 3 }).map(steps => new Date(appendMs + steps * 9 * 3_600_000).toISOString())
const absent = { requiredKeys: [] as never[] }

const traceSaid: fc.Arbitrary<Said> = fc.record({
  type: fc.constant('trace-create'),
  body: fc.record({ timestamp: times, name: fc.constantFrom('a', null) }, absent),
  at: fc.nat(9),
})
const observationSaid: fc.Arbitrary<Said> = fc.record({
  type: fc.constantFrom('span-create', 'generation-update', 'event-create', 'agent-create'),
  body: fc.record({ startTime: times, traceId: fc.constantFrom(null, 't1', 't2') }, absent),
  at: fc.nat(9),
})

/**
 * Creates the state of a trace that received no events. The trace is known only from another item: an OTel span, an observation that names
 * the trace, or an observation without a trace id, which gives its own id to the trace.
 */
const ofOthers: fc.Arbitrary<EntityState> = fc.oneof(
  fc.record({ startUs: fc.nat(9), spanId: fc.constant('00000000000000ab') }).map(root => ({ ...nothingSaid, root, firstMs: appendMs })),
  fc.constant({ ...nothingSaid, legacyChild: true }),
  fc.tuple(fc.boolean(), fc.nat(9)).map(([isLent, at]) => {
    const value = isLent ? wrapperText({ startMs: appendMs + at * dayMs, name: null, environment: null, createdMs: null }) : null
    const by = { atUs: at, update: false, id: '', hash: '' }
    return { ...nothingSaid, fields: new Map([['wrapper', { value, by }]] as const) }
  }),
)

const generation = fc.option(fc.constantFrom(0, 1, 998, 999, 1000, 5000))
const filled = (record: EntityRecord, number: number | null): EntityRecord =>
  number === null ? record : { ...record, staged: { partition: 0, offset: 7, timestampMs: 1, generation: number } }

const day = (ms: number) => Math.floor(ms / dayMs)
const distinct = (rows: readonly (readonly unknown[])[]) => [...new Set(rows.map(row => JSON.stringify(row)))].sort()

function isAsTheWriterSays(record: EntityRecord): void {
  const old = rowsOfEntity(record, topicNames.entities, appendMs).map(({ projectId, spanId, type, startTimeUs, eventTsUs }) => {
    return [projectId, spanId, type, day(startTimeUs / 1000), eventTsUs]
  })
  const oldMade = oldRows(record).map(row => {
    const start = 'timestamp' in row ? row.timestamp : row.start_time
    return [row.project_id, row.id, 'type' in row ? row.type : '', day(start), row.event_ts * 1000]
  })
  // The old tables have no rows for staged items.
  if (!record.staged) expect(distinct(old)).toEqual(distinct(oldMade))
  const eventsMade = eventRows(record).map(row => [row.project_id, row.trace_id, row.span_id, row.start_time, row.event_ts])
  for (const topic of [topicNames.staging, topicNames.filled]) {
    const events = rowsOfEntity(record, topic, appendMs)
    const keys = events.map(row => [row.projectId, row.traceId, row.spanId, row.startTimeUs, row.eventTsUs])
    expect(distinct(keys)).toEqual(distinct(eventsMade))
  }
}

test.each([
  ['trace', fc.oneof(traceSaid, ofOthers)],
  ['observation', observationSaid],
] as const)('the audit looks for rows and tombstones of a %s exactly where the writer stores them', (entityType, said) => {
  const identity = { projectId: 'p', entityType, entityId: 'e' } as const
  fc.assert(
    fc.property(fc.array(said as fc.Arbitrary<Said | EntityState>, { minLength: 1, maxLength: 6 }), generation, (all, repaired) => {
      for (const record of versionsOf(identity, all)) isAsTheWriterSays(filled(record, repaired))
    }),
  )
})

const began = (timestampMs: number): Said => ({
  type: 'trace-create',
  body: { timestamp: new Date(timestampMs).toISOString() },
  at: -timestampMs / dayMs,
})
const places = (record: EntityRecord, topic: string) => rowsOfEntity(record, topic, appendMs).map(({ startTimeUs }) => startTimeUs / 1000)

test('an impossible key needs no tombstone, and an impossible row must exist or be a dead letter', () => {
  const identity = { projectId: 'p', entityType: 'trace', entityId: 'e' } as const
  const far = appendMs + 40 * dayMs
  const [first, moved] = versionsOf(identity, [began(far), { ...began(appendMs), at: -100_000 }])
  const root = { startUs: appendMs * 1000, spanId: '00000000000000ab' }
  for (const topic of [topicNames.entities, topicNames.filled]) {
    expect(places(first!, topic)).toEqual([far])
    expect(places(moved!, topic)).toEqual([appendMs])
  }
  // On spans.filled, a trace with a root span needs no row of its own. On spans.staging, an entity needs no row if its start is too late
  // for a row.
  expect(places({ ...first!, root }, topicNames.filled)).toEqual([])
  expect(places({ ...first!, rootSpanId: root.spanId }, topicNames.filled)).toEqual([])
  expect(places({ ...first!, root }, topicNames.entities)).toEqual([far])
  expect(places(first!, topicNames.staging)).toEqual([])
})
