import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'
import { type OpenedResources, openResources } from './resources.ts'

const row = {
  ...{ project_id: 'project-0', type: 'SPAN', level: 'DEFAULT', environment: 'default', name: 'n' },
  ...{ start_time: '2026-11-01 00:00:00.000000', event_ts: '2026-11-01 00:00:01.000000' },
}
const rows = [
  { ...row, trace_id: 'a/trace %', span_id: 'a span', session_id: 'a session' },
  { ...row, trace_id: 'deleted', span_id: 'deleted' },
  { ...row, trace_id: 'deleted', span_id: 'deleted', is_deleted: 1, event_ts: '2026-11-01 00:00:02.000000' },
  { ...row, trace_id: 'foreign', span_id: 'foreign', project_id: 'project-other' },
]

let engine: ApiOnEngine
let opened: OpenedResources
beforeAll(async () => {
  engine = await startOnEngine(store =>
    store.command(`INSERT INTO events_full FORMAT JSONEachRow ${rows.map(each => JSON.stringify(each)).join('\n')}`),
  )
  opened = await openResources({ columnStore: engine.columnStore })
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
  await engine.close()
})

const send: OpenedResources['send'] = (...request) => opened.send(...request)
const comment = (objectType: string, objectId: string, more: object = {}) =>
  send('POST', '/comments', { projectId: 'whatever', objectType, objectId, content: 'good', ...more })

test('comments on an existing trace, observation, session and prompt version are stored', async () => {
  const { db } = opened.store
  const prompt = { id: 'a prompt', project_id: 'project-0', name: 'p', version: 1, created_by: 'API', prompt: '"text"' }
  await db.insertInto('prompts').values(prompt).execute()
  for (const [type, id] of [
    ['TRACE', 'a/trace %'],
    ['OBSERVATION', 'a span'],
    ['SESSION', 'a session'],
    ['PROMPT', 'a prompt'],
  ] as const) {
    const made = await comment(type, id, { content: `  on ${type} \n` })
    expect([made.status, made.json]).toEqual([200, { id: expect.any(String) }])
    const read = await send('GET', `/comments/${made.json.id}`)
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) }
    const told = {
      objectType: type,
      objectId: id,
      content: `on ${type}`,
      authorUserId: null,
      projectId: 'project-0',
      id: made.json.id,
      ...times,
    }
    expect([read.status, read.json]).toEqual([200, told])
    expect((await send('GET', `/comments?objectType=${type}&objectId=${encodeURIComponent(id)}`)).json.data).toEqual([told])
    expect((await opened.sendOther('GET', `/comments/${made.json.id}`)).json.message).toBe('Comment not found within authorized project')
    expect(await opened.audit(made.json.id)).toEqual(['create comment'])
  }
  expect((await send('GET', '/comments?limit=3&page=2')).json).toMatchObject({
    data: [{ objectType: 'TRACE' }],
    meta: { totalItems: 4, totalPages: 2 },
  })
  expect((await send('GET', '/comments?authorUserId=nobody')).json.meta.totalItems).toBe(0)
  expect((await opened.sendOther('GET', '/comments')).json.data).toEqual([])
})

test.each([
  ['TRACE', 'nothing'],
  ['TRACE', 'deleted'],
  ['TRACE', 'foreign'],
  ['OBSERVATION', 'deleted'],
  ['SESSION', 'nothing'],
  ['PROMPT', 'nothing'],
])('a comment on a missing object gets 404: %s %s', async (type, id) => {
  expect((await comment(type, id)).status).toBe(404)
})

test('invalid requests get 400', async () => {
  for (const [type, more] of [
    ['NOTHING', {}],
    ['TRACE', { content: '  ' }],
    ['TRACE', { content: 'x'.repeat(5_001) }],
    ['TRACE', { projectId: undefined }],
    ['TRACE', { unknown: 1 }],
    ['TRACE', { authorUserId: 'nobody' }],
  ] as const) {
    expect((await comment(type, 'a/trace %', more)).status, JSON.stringify([type, more])).toBe(400)
  }
  for (const query of ['objectId=a', 'unknown=1', 'objectType=NOTHING', 'limit=0']) {
    expect((await send('GET', `/comments?${query}`)).status, query).toBe(400)
  }
})
