import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRecentEvents } from '../src/recent-events.ts'
import { startApi } from './api.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

let columnStore: ApiOnEngine['columnStore']
let close: ApiOnEngine['close']
beforeAll(async () => {
  ;({ columnStore, close } = await startOnEngine(async () => {}))
})
afterAll(() => close())

const time = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString().slice(0, -1)
const isRecent = (writeMode: WriteMode) => createRecentEvents({ columnStore, writeMode, clock: Date.now })()
const insert = (table: string, row: object) =>
  columnStore.command(`INSERT INTO ${table} FORMAT JSONEachRow ${JSON.stringify({ project_id: 'p', ...row })}`)

test('only a row of the last minutes is treated as recent', async () => {
  expect(await isRecent('events_only')).toBe(false)
  await insert('events_full', { trace_id: 't', span_id: 'a', start_time: time(200) })
  expect(await isRecent('events_only')).toBe(false)
  await insert('events_full', { trace_id: 't', span_id: 'b', start_time: time(100) })
  expect(await isRecent('events_only')).toBe(true)
})

test('dual and legacy require recent rows in both old tables', async () => {
  const modes = writeModes.filter(mode => mode !== 'events_only')
  for (const mode of modes) expect(await isRecent(mode)).toBe(false)
  await insert('traces', { id: 't', timestamp: time(10) })
  expect(await isRecent('dual')).toBe(false)
  await insert('observations', { id: 'o', trace_id: 't', type: 'SPAN', start_time: time(10) })
  for (const mode of modes) expect(await isRecent(mode)).toBe(true)
})

test('responses match those of v3, and many requests share one query', async () => {
  const query = vi.fn(async () => [{ recent: '0' }] as never)
  await using api = await startApi({ columnStore: { query } })
  const ask = () => api.send('GET', '/api/public/health?failIfNoRecentEvents=true', { authorization: null })
  const answers = await Promise.all(Array.from({ length: 20 }, ask))
  for (const { status, json } of answers) expect([status, json.status]).toEqual([503, 'No events within the last 3 minutes'])
  expect(query).toHaveBeenCalledTimes(1)
  await using silent = await startApi({ columnStore: { query: () => Promise.reject(new Error('deaf')) } })
  const { status, json } = await silent.send('GET', '/api/public/health?failIfNoRecentEvents=true', { authorization: null })
  expect([status, json]).toEqual([503, { status: "Couldn't fetch recent events", version: expect.any(String) }])
  expect((await silent.send('GET', '/api/public/health', { authorization: null })).status).toBe(200)
})

test('a store that hangs gets no second query until it has responded', async () => {
  let nowMs = 0
  const answer = Promise.withResolvers<never>()
  const query = vi.fn(() => answer.promise)
  const hasRecent = createRecentEvents({ columnStore: { query }, writeMode: 'events_only', clock: () => (nowMs += 10_000) })
  const asked = Array.from({ length: 20 }, hasRecent)
  expect(query).toHaveBeenCalledTimes(1)
  answer.resolve([{ recent: '1' }] as never)
  expect(new Set(await Promise.all(asked))).toEqual(new Set([true]))
  expect(await hasRecent()).toBe(true)
  expect(query).toHaveBeenCalledTimes(2)
})
