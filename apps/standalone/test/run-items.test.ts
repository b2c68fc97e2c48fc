// Creates a dataset run item and checks its rows.
import { encodeTraceRequest, sized, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { authorization, type Instance } from './instance.ts'
import { fileHasAnInstance, ports, start, svcOfInstance } from './restarted.ts'

fileHasAnInstance()

const projectId = 'default-project'
const traceId = 'a'.repeat(32)
const spanId = 'b'.repeat(16)

const settings = { SVC_PROPAGATION_WINDOW_SECONDS: '2' }
const dual = { writeMode: 'dual', behaviour: 'dual_write', optIn: 'true' }
const eventsOnly = { writeMode: 'events_only', behaviour: 'direct', optIn: 'true' }

async function makeDataset(): Promise<string> {
  const made = await post({ name: 'questions' }, 'v2/datasets')
  expect(made.status).toBe(200)
  const item = { id: 'item', datasetName: 'questions', input: { q: 'why' }, expectedOutput: 'because' }
  expect((await post(item, 'dataset-items')).status).toBe(200)
  return String(made.json['id'])
}

async function sendSpan(ids: { readonly traceId: string; readonly spanId: string; readonly parentSpanId?: string }): Promise<void> {
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n
  const span = { ...ids, name: 'answer', startTimeUnixNano, endTimeUnixNano: startTimeUnixNano }
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-protobuf' },
    body: encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }) as Uint8Array<ArrayBuffer>,
  })
  expect(response.status).toBe(200)
}

async function post(
  body: object,
  path = 'dataset-run-items',
): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

const [itemFirst, without] = ['c'.repeat(32), 'd'.repeat(32)]
const [rootOfItemFirst, childId] = ['c'.repeat(16), 'e'.repeat(16)]

async function sendTheRest(): Promise<void> {
  await sendSpan({ traceId, spanId: childId, parentSpanId: spanId })
  await sendSpan({ traceId: itemFirst, spanId: 'f'.repeat(16), parentSpanId: rootOfItemFirst })
  await sendSpan({ traceId: itemFirst, spanId: rootOfItemFirst })
  await sendSpan({ traceId: without, spanId: childId })
  const timestamp = new Date().toISOString()
  const batch = [
    { id: 'e1', type: 'trace-create', timestamp, body: { id: 'legacy', timestamp, name: 'of before' } },
    { id: 'e2', type: 'span-create', timestamp, body: { id: 'step', traceId: 'legacy', startTime: timestamp } },
  ]
  expect((await post({ batch }, 'ingestion')).status).toBe(207)
}

const experimentRows = (running: Instance, table: string) =>
  running.query<object>(
    `SELECT trace_id, span_id, experiment_id AS run, experiment_name AS name, experiment_dataset_id AS dataset, experiment_item_id AS item,
       experiment_item_root_span_id AS root, experiment_item_expected_output AS expected, experiment_metadata_values AS metadata
     FROM ${table} FINAL WHERE is_deleted = 0 ORDER BY trace_id, span_id`,
  )

function expectedRows(run: unknown, dataset: string): readonly object[] {
  const small = { run, name: 'run', dataset, item: 'item' }
  const none = { run: '', name: '', dataset: '', item: '', root: '', expected: '', metadata: [] as string[] }
  const row = (ofTrace: string, id: string, root: string) => ({
    ...{ trace_id: ofTrace, span_id: id, ...small, root },
    ...(id === root ? { expected: '"because"', metadata: ['m'] } : { expected: '', metadata: [] }),
  })
  return [
    row(traceId, spanId, spanId),
    row(traceId, childId, spanId),
    row(itemFirst, rootOfItemFirst, rootOfItemFirst),
    row(itemFirst, 'f'.repeat(16), rootOfItemFirst),
    { trace_id: without, span_id: childId, ...none },
    row('legacy', 'step', 't-legacy'),
    row('legacy', 't-legacy', 't-legacy'),
  ]
}

test('a run item is stored once and is added to the spans below its root, despite kills and in any next mode', async () => {
  let instance = await start(dual, settings)
  const dataset = await makeDataset()
  await sendSpan({ traceId, spanId })
  const body = { runName: 'run', metadata: { model: 'm' }, datasetItemId: 'item', observationId: spanId }
  let answer = await post(body)
  await waitFor(async () => (answer = await post(body)).status === 200, { timeoutMs: 90_000, what: 'the observation to be found' })
  expect(answer.json).toMatchObject({ traceId, observationId: spanId, datasetRunName: 'run', datasetItemId: 'item' })
  for (const of of [itemFirst, 'legacy']) {
    expect(await post({ runName: 'run', datasetItemId: 'item', traceId: of })).toMatchObject({ status: 200 })
  }
  const rowsOfItems = async (of: Instance) => {
    for (const table of ['events_full', 'events_core']) {
      const wanted = JSON.stringify(expectedRows(answer.json['datasetRunId'], dataset))
      let found = ''
      const isThere = async () => (found = JSON.stringify(await experimentRows(of, table))) === wanted
      const limit = { timeoutMs: 120_000, what: `the rows of ${table} to be those of their items` }
      await waitFor(isThere, limit).catch(() => expect(JSON.parse(found)).toEqual(JSON.parse(wanted)))
    }
  }
  // The nightly run does two things that other runs do not do. The nightly run kills and restarts the instance before it sends the rest of
  // the spans and events. It also waits for the rows of `events_full` and `events_core` before it changes the write mode.
  const inTwoSteps = async () => {
    await instance.end('SIGKILL')
    instance = await start(dual, settings)
    await sendTheRest()
    await rowsOfItems(instance)
  }
  await sized(inTwoSteps, sendTheRest)()
  await instance.end('SIGKILL')

  const running = await start(eventsOnly, settings)
  await rowsOfItems(running)
  const count = (what: string) => running.count(`SELECT ${what} AS n FROM dataset_run_items_rmt`)
  await waitFor(async () => (await count('uniqExact(id)')) === 3, { timeoutMs: 90_000, what: 'the items to be stored' })
  const rows = await running.query<object>(
    `SELECT id, project_id, dataset_id, dataset_run_id, dataset_item_id, trace_id, observation_id, dataset_item_input, dataset_item_expected_output
     FROM dataset_run_items_rmt FINAL WHERE trace_id = '${traceId}'`,
  )
  const { id, datasetRunId } = answer.json
  expect(rows).toEqual([
    {
      ...{ id, project_id: projectId, dataset_id: dataset, dataset_run_id: datasetRunId, dataset_item_id: 'item' },
      ...{ trace_id: traceId, observation_id: spanId, dataset_item_input: '{"q": "why"}', dataset_item_expected_output: '"because"' },
    },
  ])
  const compatible = await post(body)
  expect(compatible).toMatchObject({ status: 200, json: { datasetRunId, traceId: '', observationId: spanId } })
  const { code, out, error } = await svcOfInstance('check', '--wait', '90')
  expect([code, error], out).toEqual([0, ''])
  expect(await count('uniqExact(id)')).toBe(3)
}, 500_000)
