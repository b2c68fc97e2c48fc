// A run item as its client means it, through the instance: the trace of an observation is found, the item
// survives a kill right behind its answer, is stored by an instance of the next mode, and its run keeps its id.
import { join } from 'node:path'
import { openRelationalStore } from '@svc-server/relational/store'
import { encodeTraceRequest, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { authorization } from './instance.ts'
import { directory, fileHasAnInstance, ports, start, svcOfInstance } from './restarted.ts'

fileHasAnInstance()

const projectId = 'default-project'
const traceId = 'a'.repeat(32)
const spanId = 'b'.repeat(16)

const settings = { SVC_PROPAGATION_WINDOW_SECONDS: '2' }
const dual = { writeMode: 'dual', behaviour: 'dual_write', optIn: 'true' }
const eventsOnly = { writeMode: 'events_only', behaviour: 'direct', optIn: 'true' }

/** Datasets have no routes yet. */
async function makeDataset(): Promise<void> {
  const store = await openRelationalStore({ kind: 'embedded', directory: join(directory, 'relational') })
  await store.db.insertInto('datasets').values({ id: 'dataset', project_id: projectId, name: 'questions' }).execute()
  const item = { id: 'item', project_id: projectId, dataset_id: 'dataset', input: '{"q":"why"}', expected_output: '"because"' }
  await store.db.insertInto('dataset_items').values(item).execute()
  await store.close()
}

async function sendSpan(): Promise<void> {
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n
  const span = { traceId, spanId, name: 'answer', startTimeUnixNano, endTimeUnixNano: startTimeUnixNano }
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-protobuf' },
    body: encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }) as Uint8Array<ArrayBuffer>,
  })
  expect(response.status).toBe(200)
}

async function post(body: object): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/dataset-run-items`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

test('an item of a run is stored once, whatever is killed and whichever mode comes next', async () => {
  await (await start(dual, settings)).end('SIGTERM')
  await makeDataset()

  const instance = await start(dual, settings)
  await sendSpan()
  const body = { runName: 'run', datasetItemId: 'item', observationId: spanId }
  let answer = await post(body)
  await waitFor(async () => (answer = await post(body)).status === 200, { timeoutMs: 90_000, what: 'the observation to be found' })
  expect(answer.json).toMatchObject({ traceId, observationId: spanId, datasetRunName: 'run', datasetItemId: 'item' })
  await instance.end('SIGKILL')

  const running = await start(eventsOnly, settings)
  const count = (what: string) => running.count(`SELECT ${what} AS n FROM dataset_run_items_rmt`)
  await waitFor(async () => (await count('count()')) > 0, { timeoutMs: 90_000, what: 'the item to be stored' })
  const rows = await running.query<object>(
    `SELECT id, project_id, dataset_id, dataset_run_id, dataset_item_id, trace_id, observation_id, dataset_item_input, dataset_item_expected_output
     FROM dataset_run_items_rmt FINAL`,
  )
  const { id, datasetRunId } = answer.json
  expect(rows).toEqual([
    {
      ...{ id, project_id: projectId, dataset_id: 'dataset', dataset_run_id: datasetRunId, dataset_item_id: 'item' },
      ...{ trace_id: traceId, observation_id: spanId, dataset_item_input: '{"q": "why"}', dataset_item_expected_output: '"because"' },
    },
  ])
  const compatible = await post(body)
  expect(compatible).toMatchObject({ status: 200, json: { datasetRunId, traceId: '', observationId: spanId } })
  const { code, out, error } = await svcOfInstance('check', '--wait', '90')
  expect([code, error], out).toEqual([0, ''])
  expect(await count('uniqExact(id)')).toBe(1)
}, 400_000)
