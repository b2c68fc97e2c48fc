import { topicNames } from '@svc-server/modes/names'
import { encodeScoreEvent, type ScoreEvent } from '@svc-server/schema/score-event'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { scoreEvent, scoreRecords } from './scores.ts'
import { now } from './world.ts'

eachTestHasItsWorld()

async function store(...events: readonly Partial<ScoreEvent>[]) {
  for (const event of events) await world.append(topicNames.scores, encodeScoreEvent(scoreEvent(event)))
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
  return writer
}

const rows = () => world.columnStore.query<Record<string, unknown>>('SELECT * FROM scores FINAL ORDER BY id')

test('every field is in its column', async () => {
  await store({
    id: 'full',
    value: -1e-3,
    stringValue: 'a label',
    longStringValue: 'a correction',
    observationId: 'observation',
    sessionId: 'session',
    datasetRunId: 'run',
    environment: 'production',
    comment: 'because',
    metadata: '{"text":"a","number":12345678901234567890,"nested":{"a":[1]},"nothing":null}',
    configId: 'config',
    queueId: 'queue',
    authorUserId: 'author',
    executionTraceId: 'execution',
  })
  const [row] = await rows()
  const { created_at, updated_at, event_ts, ...rest } = row!
  expect([created_at, updated_at]).toEqual([event_ts, event_ts])
  expect(rest).toEqual({
    id: 'full',
    timestamp: '2026-11-21 12:00:00.000',
    project_id: 'project-1',
    environment: 'production',
    trace_id: 'trace',
    session_id: 'session',
    dataset_run_id: 'run',
    observation_id: 'observation',
    name: 'quality',
    value: -0.001,
    source: 'API',
    comment: 'because',
    metadata: { text: 'a', number: '12345678901234567890', nested: '{"a":[1]}' },
    author_user_id: 'author',
    config_id: 'config',
    data_type: 'NUMERIC',
    string_value: 'a label',
    queue_id: 'queue',
    is_deleted: 0,
    execution_trace_id: 'execution',
    long_string_value: 'a correction',
    ingestion_api_key: 'pk-test',
    ingestion_sdk_name: 'javascript',
    ingestion_sdk_version: '6.0.0',
  })
})

test('metadata that is not an object, is empty, or is not JSON', async () => {
  const expected: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['[1,"a"]', { metadata: '[1,"a"]' }],
    ['"text"', { metadata: 'text' }],
    ['7', { metadata: '7' }],
    ['null', {}],
    ['{}', {}],
    ['no JSON', { metadata: 'no JSON' }],
  ]
  await store(...expected.map(([metadata], at) => ({ id: `${at}`, metadata })))
  expect((await rows()).map(({ metadata }) => metadata)).toEqual(expected.map(([, shown]) => shown))
})

test('readers see the later of two scores, no score after its deletion, and a score that arrives after the deletion', async () => {
  await store({ id: 'a', value: 1 }, { id: 'a', value: 2 }, { id: 'b', value: 1 })
  expect((await rows()).map(({ id, value }) => [id, value])).toEqual([
    ['a', 2],
    ['b', 1],
  ])
  await store({ id: 'a', deleted: true }, { id: 'b', deleted: true })
  expect(await rows()).toEqual([])
  await store({ id: 'b', value: 3 })
  expect((await rows()).map(({ id, value }) => [id, value])).toEqual([['b', 3]])
  expect(await world.check()).toMatchObject({ findings: [] })
})

test('a score with an out-of-range time becomes a dead letter, and all other scores are stored', async () => {
  const years = (count: number) => (now + count * 31_557_600_000) * 1000
  await store({ id: 'old', timestampUs: years(-9) }, { id: 'far', timestampUs: years(1) }, { id: 'fine', timestampUs: years(-7) })
  expect((await rows()).map(({ id }) => id)).toEqual(['fine'])
  const deadLetters = await world.deadLetters()
  expect(deadLetters.map(({ id, reason }) => [id, reason]).sort()).toEqual([
    ['scores/0/0/0', 'start_time_range'],
    ['scores/0/1/0', 'start_time_range'],
  ])
  expect(await world.check()).toMatchObject({ findings: [] })
})

test('a record of another kind becomes a dead letter', async () => {
  await world.append(topicNames.scores, Buffer.from('no record'))
  await store({ id: 'fine' })
  expect((await rows()).map(({ id }) => id)).toEqual(['fine'])
  expect((await world.deadLetters()).map(({ reason }) => reason)).toEqual(['record_undecodable'])
})

test('scores that are missing from the table show in the gauge and in the check', async () => {
  await world.log.append(topicNames.scores, scoreRecords({ count: 20 }))
  const first = await store()
  await first.service.drain()
  await world.columnStore.command('TRUNCATE TABLE ingest_audit')
  await world.columnStore.command('TRUNCATE TABLE scores')
  const writer = await store()
  await waitFor(async () => (await writer.metric('svc_unaccounted_spans', `"${topicNames.scores}"`)) === 20, {
    what: 'the gauge to show 20',
  })
  const [finding] = (await world.check()).findings
  expect(finding).toMatchObject({ kind: 'missing', topic: topicNames.scores, spans: 20, table: 'scores' })
})
