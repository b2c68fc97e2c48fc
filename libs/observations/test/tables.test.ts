import { type NativeEngine, nativeEngine } from '@svc-server/column-store/test-engine'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { insertSettings } from '@svc-server/schema/events/insert-settings'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { encodeTraceRequest } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { batchOf, readable, recordOf, requestOf } from './mapped-rows.ts'

let engine: NativeEngine
beforeAll(async () => {
  engine = await nativeEngine()
  engine.command('CREATE DATABASE svc')
  const port = {
    command: async (sql: string) => engine.command(sql),
    query: async <Row>(sql: string) => engine.query(sql) as Row[],
    ask: async (sql: string) => engine.ask(sql),
  }
  await migrateColumnStore(port, { database: 'svc', clustered: false })
})
afterAll(() => engine.close())

test('a block names the columns of the schema in order, with types that the tables accept', () => {
  const values = {
    'svc.observation.input': 'ä'.repeat(300),
    'svc.observation.type': 'generation',
    'svc.observation.usage_details': '{"input":3,"output":4}',
    'svc.observation.cost_details': '{"input":0.5,"output":0.25}',
    'svc.observation.metadata': JSON.stringify({ long: 'x'.repeat(300), n: 1 }),
    'svc.observation.prompt.name': 'p',
    'svc.observation.prompt.version': 2,
    'svc.trace.tags': ['t'],
  }
  const record = recordOf(batchOf(encodeTraceRequest(requestOf(values))))
  const chunk = createChunkEncoder().encode([record])
  expect(chunk.columns).toEqual(eventsColumns.map(({ name }) => name))

  engine.insert('svc.events_full', chunk.columns, chunk.body, { ...insertSettings, insert_deduplication_token: chunk.hash })

  const stored = (table: string) =>
    engine.query(`SELECT *, input_length, calculated_total_cost, toYYYYMM(start_time) AS month FROM svc.${table}`).map(readable)
  const [full] = stored('events_full')
  expect(full).toMatchObject({
    input: 'ä'.repeat(300),
    input_length: '300',
    usage_details: { input: '3', output: '4', total: '7' },
    calculated_total_cost: 0.75,
    prompt_version: 2,
    metadata: { long: ['x'.repeat(300), 0], n: ['1', 1] },
    month: createChunkEncoder().places([record])[0]!.month,
  })
  expect(stored('events_core')).toMatchObject([{ input: 'ä'.repeat(200), metadata: { long: ['x'.repeat(200), 0] }, tags: ['t'] }])
})
