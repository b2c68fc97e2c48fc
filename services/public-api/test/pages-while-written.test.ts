// Reads pages of scores on the real engine. In some tests, scores change during the read. In other tests, the store is slow, or scores
// have long names that were stored before the length of names was limited.

import { scoreQuery } from '@svc-server/api/scores/query'
import type { ColumnStore } from '@svc-server/column-store/port'
import { createScoreReader } from '@svc-server/query/scores'
import { isAsked } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const atMs = Date.now() - 3_600_000
const time = (ms: number) => new Date(ms).toISOString().slice(0, -1)
let version = 0

let [api, columnStore, close]: [ApiOnEngine['api'], ColumnStore, ApiOnEngine['close']] = [] as never
beforeAll(async () => {
  ;({ api, columnStore, close } = await startOnEngine(async () => {}))
})
afterAll(() => close())

const insert = (...rows: readonly Readonly<Record<string, unknown>>[]) =>
  columnStore.command(
    `INSERT INTO scores FORMAT JSONEachRow ${rows
      .map(row => ({
        ...{ name: 'n', value: 1, source: 'API', data_type: 'NUMERIC', trace_id: 't', is_deleted: 0 },
        ...{ created_at: time(atMs), updated_at: time(atMs), event_ts: time(atMs + version++), ...row },
      }))
      .map(row => JSON.stringify(row))
      .join('\n')}`,
  )

/**
 * The test writes one of these rows between two queries of a page. The row replaces the first or the last score of the page. A page needs
 * four queries. The test writes the row just before the third query, which reads the rows' sizes, or just before the fourth query, which
 * reads the rows.
 */
const changes = {
  'of today, newer': { timestamp: time(atMs + 1000) },
  'of today, older than all': { timestamp: time(atMs - 100_000) },
  'of another day': { timestamp: time(atMs - 30 * 86_400_000) },
  'under another name': { name: 'm' },
  larger: { comment: 'c'.repeat(3 << 20) },
  deleted: { is_deleted: 1 },
}

test('a score that changes while a page is read does not hide other scores', async () => {
  const counts: string[] = []
  /**
   * Each pair consists of the index of a row and the number of a query. The test changes this row just before this query. For each entry of
   * `changes`, `npm test` tests only one of these pairs, and the nightly run tests all of them (isAsked).
   */
  const moments = [
    [3, 4],
    [0, 3],
    [3, 3],
  ] as const
  for (const [at, [change, columns]] of Object.entries(changes).entries()) {
    for (const [law, [of, when]] of moments.entries()) {
      if (isAsked(at, law, 3)) {
        const project_id = `${change} ${of} ${when}`
        const rows = Array.from({ length: 5 }, (_, i) => ({
          project_id,
          id: `${i}`,
          timestamp: time(atMs - i),
          comment: 'c'.repeat(800_000),
        }))
        await insert(...rows)
        let asked = 0
        const reader = createScoreReader({
          async query<Row>(sql: string, params?: Readonly<Record<string, unknown>>) {
            if (++asked === when) await insert({ ...rows[of], ...columns })
            return columnStore.query<Row>(sql, params)
          },
        })
        const found: string[] = []
        const query = scoreQuery.parse({ fields: 'details' })
        for (let after: Awaited<ReturnType<typeof reader.page>>['next']; ; ) {
          const page = await reader.page(project_id, query, 4, after)
          found.push(...page.rows.map(({ id }) => id))
          if (page.next === undefined) break
          after = page.next
        }
        const others = found.filter(id => id !== `${of}`)
        expect([project_id, others]).toEqual([project_id, rows.map(({ id }) => id).filter(id => id !== `${of}`)])
        counts.push(`${found.length}`)
      }
    }
  }
  expect(counts).toContain('5')
})

test('names stored before their length was limited are read, filtered and paged', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `${'ü'.repeat(150_000)}${i % 6}`)
  await insert(...names.map((name, i) => ({ project_id: 'project-0', id: `${i % 4}`, timestamp: time(atMs - i * 1000), name })))
  const found: { id: string; name: string }[] = []
  let cursor: string | undefined
  do {
    const { status, json } = await api.send('GET', `/api/public/v3/scores?limit=3${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    found.push(...json.data)
    cursor = json.meta.cursor
  } while (cursor !== undefined)
  expect(found.map(({ id, name }) => [id, name])).toEqual([8, 9, 10, 11].map(i => [`${i % 4}`, names[i]]))
})

test('stored metadata are readable, whatever their names and values', async () => {
  const name = 'n'.repeat(20_000)
  await insert({
    project_id: 'project-0',
    id: 'metadata',
    timestamp: time(atMs),
    metadata: { [name]: JSON.stringify({ [name]: 1 }), a: 'text' },
  })
  const { json } = await api.send('GET', '/api/public/v3/scores?id=metadata&fields=details')
  expect(json.data[0].metadata).toEqual({ [name]: { [name]: 1 }, a: 'text' })
})

test('a page ends within its time budget, however many queries it takes', async () => {
  const row = { id: '0', day: '2026-01-01', name_hash: 'n', timestamp_ms: '0', last_day: '2026-01-01', last_name: 'm' }
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  const asked: string[] = []
  const query = async (sql: string) => {
    now += 1_500
    asked.push(/max_execution_time = (\d+)$/.exec(sql)?.[1] ?? sql)
    return Array.from({ length: 101 }, () => row) as never
  }
  await expect(createScoreReader({ query }).page('p', scoreQuery.parse({}), 50, undefined)).rejects.toThrow(
    'a page of scores took longer than 20 seconds',
  )
  clock.mockRestore()
  expect(asked).toEqual(['20', '19', '17', '16', '14', '13', '11', '10', '8', '7', '5', '4', '2', '1'])
})

test('a page whose keys take half of the time returns the found scores and a cursor', async () => {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  let rounds = 0
  const keyOf = (id: string) => ({ id, day: '2026-01-01', name_hash: 'n', timestamp_ms: '0', bytes: '1' })
  const query = async (sql: string, params: Readonly<Record<string, unknown>> = {}) => {
    now += 3_000
    if (sql.includes('arrayZip')) return (params['rowIds'] as string[]).map(keyOf) as never
    // Each query for a list returns 101 rows. Before the next query, every row except the first gets a newer row with the same id.
    if (sql.includes('last_name')) return [{ id: `${rounds} 0`, last_day: '2026-01-01', last_name: 'n' }] as never
    rounds++
    return Array.from({ length: 101 }, (_, i) => keyOf(`${rounds} ${i}`)) as never
  }
  const { rows, next } = await createScoreReader({ query }).page('p', scoreQuery.parse({}), 50, undefined)
  clock.mockRestore()
  expect([rows.map(({ id }) => id), next?.lastId]).toEqual([['1 0', '2 0'], '2 100'])
})
