import type { CommittedOffset, EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { organizationKey, startApi, type TestApi } from './api.ts'

const path = '/api/public/v3/scores'
let committed: Map<number, CommittedOffset>
let polled: (() => void)[]
let reads: number
let api: TestApi
beforeEach(async () => {
  committed = new Map()
  polled = []
  reads = 0
  api = await startApi({
    columnStore: {
      async query() {
        reads++
        return []
      },
    },
    log: real =>
      Object.assign(Object.create(real) as EventLog, {
        async committed(group: string, topic: string) {
          for (const resolve of polled.splice(0)) resolve()
          return group === groupNames.writer && topic === topicNames.scores ? committed : new Map()
        },
      }),
  })
})
afterEach(() => api[Symbol.asyncDispose]())

const asked = () => new Promise<void>(resolve => polled.push(resolve))
const allStored = () => {
  for (let partition = 0; partition < 64; partition++) committed.set(partition, { offset: 1_000, metadata: '' })
}

async function sendScore(): Promise<string> {
  const { headers } = await api.send('POST', '/api/public/scores', { body: [{ name: 'a', value: 1, traceId: 't' }] })
  return String(headers['x-svc-ingest-id'])
}

test('a read waits until the acknowledged data is readable, and then queries the column store', async () => {
  const id = await sendScore()
  const read = api.send('GET', `${path}?waitFor=${id}`)
  await asked()
  await asked()
  expect(reads).toBe(0)
  allStored()
  expect(await read).toMatchObject({ status: 200, headers: { 'x-svc-waited-for': 'readable' } })
  expect(reads).toBeGreaterThan(0)
})

test('waiting reads hold no slot, so that another read of the project succeeds', async () => {
  const id = await sendScore()
  const waiting = Array.from({ length: 10 }, () => api.send('GET', `${path}?waitFor=${id}`))
  await asked()
  expect((await api.send('GET', path)).status).toBe(200)
  allStored()
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
})

test('a project may have a limited number of waiting reads, and the next one gets 429', async () => {
  const id = await sendScore()
  const refused = Promise.withResolvers<void>()
  let refusals = 0
  const waiting = Array.from({ length: 45 }, async () => {
    const answer = await api.send('GET', `${path}?waitFor=${id}`)
    if (answer.status === 429 && ++refusals === 5) refused.resolve()
    return answer
  })
  await refused.promise
  allStored()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.filter(status => status === 429)).toHaveLength(5)
  expect(statuses.filter(status => status === 200)).toHaveLength(40)
})

test('a 404 also says that the awaited data is readable', async () => {
  await using dual = await startApi({
    env: { SVC_MIGRATION_V4_WRITE_MODE: 'dual' },
    log: real => Object.assign(Object.create(real) as EventLog, { committed: async () => committed }),
  })
  allStored()
  const { headers } = await dual.send('POST', '/api/public/scores', { body: [{ name: 'a', value: 1, traceId: 't' }] })
  const read = await dual.send('GET', `/api/public/traces/t?waitFor=${String(headers['x-svc-ingest-id'])}`)
  expect(read).toMatchObject({ status: 404, headers: { 'x-svc-waited-for': 'readable' } })
})

test.each([
  ['nonsense', 'x'],
  ['empty', ''],
  ['of another deployment', `1${'A'.repeat(60)}`],
])('an id that is %s gets 400 with a reason', async (_, id) => {
  const { status, json } = await api.send('GET', `${path}?waitFor=${id}`)
  expect(status).toBe(400)
  expect(JSON.stringify(json)).toContain('Not an ingest id of this project')
  expect(reads).toBe(0)
})

test('responses to requests that wrote to the log have an ingest id, and all others have none', async () => {
  const idOf = async (method: string, at: string, body?: object) => {
    const { status, headers } = await api.send(method, at, body && { body })
    return { isOk: status < 300, id: headers['x-svc-ingest-id'] }
  }
  const score = { id: 'e', type: 'score-create', timestamp: new Date().toISOString(), body: { name: 'a', value: 1, traceId: 't' } }
  expect(await idOf('POST', '/api/public/ingestion', { batch: [score] })).toEqual({ isOk: true, id: expect.any(String) })
  expect(await idOf('DELETE', '/api/public/scores/s')).toEqual({ isOk: true, id: expect.any(String) })
  expect(await idOf('POST', '/api/public/ingestion', { batch: [] })).toEqual({ isOk: true, id: undefined })
  expect(await idOf('GET', path)).toEqual({ isOk: true, id: undefined })
  const { headers } = await api.send('GET', '/api/public/organizations/projects', { authorization: organizationKey })
  expect(headers['x-svc-ingest-id']).toBeUndefined()
})
