import { topicNames } from '@svc-server/modes/names'
import { encodeRunItem, type RunItem } from '@svc-server/schema/run-item'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { encodeStagedRunItem, stagedRunItemOf } from '@svc-server/schema/staged-run-item'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { propagate } from './propagate.ts'
import { runItemOf, runItemRecords } from './run-items.ts'
import { spanBatch } from './world.ts'

eachTestHasItsWorld('before the test', { auditMs: 300 })

async function store(...items: readonly Partial<RunItem>[]) {
  for (const item of items) await world.append(topicNames.runItems, encodeRunItem(runItemOf(item)))
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
  return writer
}

const rows = () => world.columnStore.query<Record<string, unknown>>('SELECT * FROM dataset_run_items_rmt FINAL ORDER BY id')

test('every field is in its column', async () => {
  await store({
    datasetRunDescription: 'why',
    datasetRunMetadata: '{"model": "m", "n": [1]}',
    datasetItemVersionMs: Date.UTC(2026, 0, 1),
    datasetItemInput: '{"q": 12345678901234567890}',
    datasetItemExpectedOutput: '"because"',
    datasetItemMetadata: '[1]',
    observationId: 'observation',
    error: 'it failed',
  })
  const [row] = await rows()
  const { updated_at, event_ts, ...rest } = row!
  expect(updated_at).toBe(event_ts)
  expect(rest).toEqual({
    id: 'run-item',
    project_id: 'project-1',
    dataset_run_id: 'run',
    dataset_item_id: 'item',
    dataset_id: 'dataset',
    trace_id: 'trace',
    observation_id: 'observation',
    error: 'it failed',
    created_at: '2026-11-21 12:00:00.000',
    dataset_run_name: 'a run',
    dataset_run_description: 'why',
    dataset_run_metadata: { model: 'm', n: '[1]' },
    dataset_run_created_at: '2026-11-21 11:59:59.000',
    dataset_item_input: '{"q": 12345678901234567890}',
    dataset_item_expected_output: '"because"',
    dataset_item_metadata: { metadata: '[1]' },
    is_deleted: 0,
    dataset_item_version: '2026-01-01 00:00:00.000',
  })
})

test('readers see the later of two items, and no item after a tombstone', async () => {
  await store({ id: 'a', error: 'first' }, { id: 'a', error: 'second' }, { id: 'b' })
  expect((await rows()).map(({ id, error }) => [id, error])).toEqual([
    ['a', 'second'],
    ['b', null],
  ])
  await store({ id: 'a', deleted: true })
  expect((await rows()).map(({ id }) => id)).toEqual(['b'])
  expect(await world.check()).toMatchObject({ findings: [] })
})

test('items that are missing from the table show in the gauge and in the check', async () => {
  await world.log.append(topicNames.runItems, runItemRecords({ count: 20 }))
  const first = await store()
  await first.service.drain()
  await world.columnStore.command('TRUNCATE TABLE ingest_audit')
  await world.columnStore.command('TRUNCATE TABLE dataset_run_items_rmt')
  const writer = await store()
  await waitFor(async () => (await writer.metric('svc_unaccounted_spans', `"${topicNames.runItems}"`)) === 20, {
    what: 'the gauge to show 20',
  })
  const [finding] = (await world.check()).findings
  expect(finding).toMatchObject({ kind: 'missing', topic: topicNames.runItems, spans: 20, table: 'dataset_run_items_rmt' })
})

test('a record of another kind becomes a dead letter', async () => {
  await world.append(topicNames.runItems, Buffer.from('no record'))
  await store({})
  expect((await rows()).length).toBe(1)
  expect((await world.deadLetters()).map(({ reason }) => reason)).toEqual(['record_undecodable'])
})

test('a staged item is no span: everything is conserved, and rows name the experiment of their spans’ fill-in', async () => {
  const item = stagedRunItemOf(runItemOf({ datasetItemExpectedOutput: '"because"' }))
  await world.append(topicNames.staging, spanBatch({ count: 2, writeMode: 'dual' }))
  await world.append(topicNames.staging, encodeStagedRunItem(item))
  const runItems = [{ ...item, rootSpanId: 'elsewhere', spans: [1] }]
  await propagate(world.log, {
    filled: record => [{ ...record, value: encodeSpanBatch({ ...decodeSpanBatch(record.value!), runItems }) }],
  })
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  const report = await world.check()
  expect(report).toMatchObject({ conserved: true, atRest: true, findings: [] })
  expect(report.staged[0]).toMatchObject({ records: 2, spans: 2, published: 2, deadLettered: 0, missing: 0 })
  const audits = () => writer.metric('svc_row_audits_total', 'done')
  const before = await audits()
  await waitFor(async () => (await audits()) >= before + 3, { what: 'three audits of rows' })
  expect([await writer.metric('svc_unaccounted_spans'), await writer.metric('svc_writer_dead_letters_total')]).toEqual([0, 0])
  const named = 'SELECT experiment_id AS run, experiment_item_root_span_id AS root, experiment_item_expected_output AS expected'
  for (const table of ['events_full', 'events_core']) {
    expect(await world.columnStore.query(`${named} FROM ${table} FINAL ORDER BY run`)).toEqual([
      { run: '', root: '', expected: '' },
      { run: 'run', root: 'elsewhere', expected: '' },
    ])
  }
})
