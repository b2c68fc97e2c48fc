import { connect } from 'node:net'
import { AppError } from '@svc-server/errors'
import type { KeyStore } from '@svc-server/relational/key-types'
import { sized } from '@svc-server/testkit'
import { expect, test, vi } from 'vitest'
import { basic, startApi } from './api.ts'
import { startOnEngine } from './on-engine.ts'

const path = '/api/public/v3/scores'
const MiB = 1024 * 1024
const atMs = Date.now() - 60_000
const time = (ms: number) => new Date(ms).toISOString().slice(0, -1)

const rowOf = (id: string, columns: Readonly<Record<string, unknown>> = {}) => ({
  ...{ id, name: 'n', value: 1, project_id: 'project-0', source: 'API', data_type: 'NUMERIC', trace_id: 't', is_deleted: 0 },
  ...{ timestamp: time(atMs - Number(id)), created_at: time(atMs), updated_at: time(atMs), event_ts: time(atMs) },
  ...columns,
})

test('pages end at their byte limit without losing or repeating scores, and a single score is returned whatever its size', async () => {
  const { api, columnStore, close } = await startOnEngine(async () => {})
  try {
    const lengths = Array.from({ length: 30 }, (_, index) => [1_000_000, 10, 300_000, 0, 3 * MiB][index % 5]!)
    for (const [index, length] of lengths.entries()) {
      const large = index % 2 === 0 ? { comment: 'c'.repeat(length) } : { metadata: { key: JSON.stringify('m'.repeat(length)) } }
      await columnStore.command(`INSERT INTO scores FORMAT JSONEachRow ${JSON.stringify(rowOf(String(index), large))}`)
    }
    const found: { id: string; comment: string | null; metadata: Record<string, string> }[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const { status, text, json } = await api.send('GET', `${path}?limit=100&fields=details${cursor ? `&cursor=${cursor}` : ''}`)
      expect(status).toBe(200)
      expect(text.length).toBeLessThan(6 * MiB)
      found.push(...json.data)
      cursor = json.meta.cursor
      pages++
    } while (cursor !== undefined)
    expect(found.map(({ id }) => id)).toEqual(lengths.map((_, index) => String(index)))
    expect(found.map(({ comment, metadata }) => (comment ?? metadata['key'] ?? '').length)).toEqual(lengths)
    expect(pages).toBeGreaterThan(5)
    // The large fields are left out of this request, so one page has space for all scores.
    const { json } = await api.send('GET', `${path}?limit=100`)
    expect([json.data.length, json.meta]).toEqual([30, { limit: 100 }])
  } finally {
    await close()
  }
})

const keys = {
  verify: async (publicKey: string) => ({ accessLevel: 'project', orgId: 'org', projectId: publicKey, apiKeyId: publicKey, publicKey }),
  verifyPublicKey: async () => null,
  onChange: () => () => {},
  pairOf: () => ({ publicKey: 'pk', secretKey: 'sk' }),
} as unknown as KeyStore
const flood = { authorization: basic('flood', 'x') }
const neighbor = { authorization: basic('neighbor', 'x') }

test('concurrent reads of one project queue up to a limit, and additional reads get 429; a neighbor is not delayed', async () => {
  let asked = 0
  const gate = Promise.withResolvers<void>()
  const query = async (_: string, { projectId }: Readonly<Record<string, unknown>> = {}) => {
    if (projectId === 'neighbor') return []
    asked++
    await gate.promise
    return []
  }
  await using api = await startApi({ keys, columnStore: { query } })
  const answers = Array.from({ length: 120 }, () => api.send('GET', path, flood))
  await vi.waitFor(async () => expect(await api.metric('svc_api_requests_total', { code: '429' })).toBe(17), 60_000)
  expect((await api.send('GET', path, neighbor)).status).toBe(200)
  expect([asked, await api.metric('svc_api_waiting_reads')]).toEqual([3, 100])
  gate.resolve()
  const codes = (await Promise.all(answers)).map(answer => answer.status)
  expect(codes.filter(code => code === 200)).toHaveLength(103)
  expect(codes.filter(code => code === 429)).toHaveLength(17)
  expect(await api.metric('svc_api_waiting_reads')).toBe(0)
})

test('unread responses are kept up to a limit; the client with the most loses its oldest response, and a neighbor loses none', async () => {
  const comment = 'c'.repeat(8_000_000)
  const row = { ...rowOf('0'), id: '0', day: '2026-01-01', timestamp_ms: '0', created_ms: '0', updated_ms: '0', last_day: '2026-01-01' }
  const query = async () =>
    [{ ...row, name_hash: 'n', last_name: 'n', string_value: null, long_string_value: '', comment, metadata: '{}' }] as never
  await using api = await startApi({ keys, columnStore: { query }, env: { SVC_BODY_TIMEOUT_MS: '8000' } })
  const sockets = Array.from({ length: sized(25, 14) }, () =>
    connect(api.port, '127.0.0.1')
      .pause()
      .on('error', () => {}),
  )
  for (const socket of sockets) {
    socket.write(`GET ${path}?fields=details HTTP/1.1\r\nhost: h\r\nauthorization: ${flood.authorization}\r\n\r\n`)
  }
  let most = 0
  for (let i = 0; i < sized(12, 5) || most < 40 * MiB; i++) {
    const { status, json } = await api.send('GET', `${path}?fields=details`, neighbor)
    expect([status, json.data[0].comment.length]).toEqual([200, comment.length])
    most = Math.max(most, await api.metric('svc_api_unread_answer_bytes'))
  }
  expect(most).toBeLessThan(64 * MiB)
  // The client reads no response. The metric becomes 0 when the API has closed all of the client's connections.
  await vi.waitFor(async () => expect(await api.metric('svc_api_unread_answer_bytes')).toBe(0), 60_000)
  for (const socket of sockets) socket.destroy()
})

test('a query that exceeds its time or memory gets 422, not a retryable error', async () => {
  const query = () => Promise.reject(new AppError('column_store_overloaded', 'Query: Timeout exceeded (code 159)'))
  await using api = await startApi({ columnStore: { query } })
  const { status, json } = await api.send('GET', path)
  expect([status, json.error]).toEqual([422, 'Request timed out'])
})

test('a read that ends because its client disconnected is no defect', async () => {
  const begun = Promise.withResolvers<void>()
  const query = (_sql: string, _params: unknown, { signal }: { readonly signal?: AbortSignal } = {}) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      begun.resolve()
    })
  await using api = await startApi({ columnStore: { query } })
  const socket = connect(api.port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${basic('pk-test', 'sk-test')}\r\n\r\n`)
  await begun.promise
  socket.destroy()
  await expect.poll(() => api.metric('svc_api_requests_total', { code: 'aborted' }), { timeout: 20_000 }).toBe(1)
  expect(await api.metric('svc_api_defects_total', { state: 'own' })).toBe(0)
})
