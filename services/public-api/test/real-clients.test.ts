// Sends requests that earlier SDK generations sent. `events_only` refuses each event of these requests. In the other modes, the order of
// the events must not change the rows.
import { entityOfRecord, recordOf } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import { publishedAs } from '@svc-server/entities/merged'
import { createObservationRows } from '@svc-server/entities/rows/observation'
import { traceRows } from '@svc-server/entities/rows/trace'
import { type EntityState, joinStates, nothingSaid } from '@svc-server/entities/state'
import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity, encodeEntity } from '@svc-server/schema/entity'
import type { IngestionEvent } from '@svc-server/schema/ingestion-event'
import { createRandom, ingestionFixtures } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { startApi } from './api.ts'

const path = '/api/public/ingestion'
const fixtures = ingestionFixtures().map(fixture => [fixture.client, fixture] as const)
const dual = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
const eventsOnly = { SVC_MIGRATION_V4_WRITE_MODE: 'events_only' }
const environments = createEnvironmentNames({ prefixes: ['svc'] })
const versionMs = Date.UTC(2026, 10, 23)

/** Merges the events. After each event, the state is encoded and decoded, as between two processes. */
function merge(events: readonly IngestionEvent[]): ReturnType<typeof entityOfRecord> {
  const { projectId, entityType, entityId } = events[0]!
  const identity = { projectId, entityType, entityId }
  const through = (state: EntityState) =>
    entityOfRecord(decodeEntity(encodeEntity(recordOf(identity, 'dual', publishedAs(identity, null, state, versionMs)))))
  const state = events.reduce((known, event) => through(joinStates(known, stateOfEvent(event, environments))).state, nothingSaid)
  return through(state)
}

const observationRows = createObservationRows(new CatalogLookup())

/**
 * Merges the events of each entity. Returns an object with the row of each entity. A key of the object consists of the entity's type, a
 * space, and the entity's id.
 */
const rowsOf = (events: readonly IngestionEvent[]) =>
  Object.fromEntries(
    [...Map.groupBy(events, ({ entityType, entityId }) => `${entityType} ${entityId}`)].map(([id, mine]) => {
      const entity = merge(mine)
      return [id, entity.entityType === 'trace' ? traceRows(entity)[0] : observationRows.old(entity)[0]]
    }),
  )

test.each(fixtures)('%s: every event is accepted, and any order of events produces the same rows', async (client, { headers, body }) => {
  await using api = await startApi({ env: dual })
  const answer = await api.send('POST', path, { headers, body })
  expect([answer.status, answer.json.errors]).toEqual([207, []])
  expect(answer.json.successes).toHaveLength(body.batch.length)
  const scores = await api.scores()
  expect(scores.map(({ name, value, stringValue }) => [name, value, stringValue]).sort()).toEqual([
    ['label', 0, 'good'],
    ['quality', 0.9, null],
  ])
  const events = await api.events()
  const rows = rowsOf(events)
  const isPython = client.includes('python')
  const traceId = 'fixture-trace'
  expect(rows).toMatchObject({
    [`trace ${traceId}`]: {
      ...{ name: 'order', user_id: 'alice', session_id: 's1', release: 'r1', version: 'v1', public: 1, environment: 'default' },
      tags: ['a', 'b', 'c'],
      input: '{"q":"hi"}',
      output: '{"a":"yo"}',
      metadata: expect.arrayContaining([
        ['plan', 'pro'],
        ['late', 'true'],
      ]),
    },
    'observation fixture-span': {
      ...{ type: 'SPAN', name: 'retrieve', trace_id: traceId, level: 'WARNING', status_message: 'slow', output: 'done' },
      metadata: [['deep', '{"a":[1,2]}']],
    },
    'observation fixture-gen': {
      ...{ type: 'GENERATION', name: 'chat', trace_id: traceId, parent_observation_id: 'fixture-span', provided_model_name: 'gpt-4o' },
      output: '{"role":"assistant","content":"yo"}',
      model_parameters: isPython ? '{"temperature":"0.5"}' : '{"temperature":0.5,"stop":["x"]}',
      usage_details: [
        ['input', expect.anything()],
        ['output', expect.anything()],
        ['total', expect.anything()],
      ],
    },
    'observation fixture-event': { type: 'EVENT', name: 'clicked', input: '1' },
  })
  expect(Object.keys(rows)).toHaveLength(4)
  const random = createRandom(client)
  for (let round = 0; round < 100; round++) {
    const shuffled = events
      .map(event => [random.next(), event] as const)
      .sort(([a], [b]) => a - b)
      .map(([, event]) => event)
    // Repeats some events, because clients repeat a request if its response is late.
    expect(rowsOf([...shuffled, ...shuffled.slice(0, round % 4)])).toEqual(rows)
  }
})

test.each(fixtures)(
  '%s on events_only: scores are stored, and all other events are refused with the version to upgrade to',
  async (_, fixture) => {
    await using api = await startApi({ env: eventsOnly })
    const { headers, body } = fixture
    const answer = await api.send('POST', path, { headers, body })
    expect(answer.status).toBe(207)
    const isScore = ({ type }: { readonly type: string }) => type === 'score-create'
    const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort()
    expect(idsOf(answer.json.successes)).toEqual(idsOf(body.batch.filter(isScore)))
    expect(idsOf(answer.json.errors)).toEqual(idsOf(body.batch.filter(event => !isScore(event))))
    const remedy = /upgrade to (JS\/TS SDK 5\.4\.0|Python SDK 4\.7\.0) or newer, or set the variable to dual/
    for (const { status, error } of answer.json.errors) expect([status, error]).toEqual([400, expect.stringMatching(remedy)])
    expect(await api.events()).toEqual([])
    expect(await api.scores()).toHaveLength(2)
  },
)
