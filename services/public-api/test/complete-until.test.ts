import type { EventLog, GroupLag } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { expect, onTestFinished, test, vi } from 'vitest'
import { handlers } from '../src/operations/index.ts'
import { startApi } from './api.ts'

const path = '/api/public/v3/scores'
const scores = (lagMs: number): GroupLag => ({
  ...{ group: groupNames.writer, topic: topicNames.scores, partition: 0, committed: 0 },
  ...{ lagMs, lagRecords: lagMs > 0 ? 1 : 0 },
})

const logWith = (lag: EventLog['lag']) => (real: EventLog) => Object.assign(Object.create(real) as EventLog, { lag })

async function headerWith(lag: () => Promise<readonly GroupLag[]>) {
  await using api = await startApi({ log: logWith(lag) })
  const askedMs = Date.now()
  const { status, headers } = await api.send('GET', path)
  expect(status).toBe(200)
  const header = headers['x-svc-complete-until'] as string | undefined
  return { header, askedMs, lines: api.logLines }
}

test('without backlog, the time is the time of the request; with a waiting score, the time is before that score', async () => {
  const none = await headerWith(async () => [scores(0)])
  expect(Date.parse(none.header!)).toBeGreaterThanOrEqual(none.askedMs)
  const behind = await headerWith(async () => [scores(60_000)])
  expect(behind.askedMs - Date.parse(behind.header!)).toBeGreaterThan(50_000)
})

test.each([
  ['does not answer', () => new Promise<never>(() => {})],
  ['fails', () => Promise.reject(new Error('away'))],
  ['knows no such topic', async () => []],
])('a log that %s omits the header, and the request succeeds', async (_, lag) => {
  expect((await headerWith(lag)).header).toBeUndefined()
})

test('the lag is looked up before the rows, and not for every request', async () => {
  const steps: string[] = []
  const columnStore = {
    async query() {
      steps.push('rows')
      return []
    },
  }
  const lag = async () => {
    steps.push('lag')
    return [scores(0)]
  }
  await using api = await startApi({ columnStore, log: logWith(lag) })
  for (let i = 0; i < 3; i++) await api.send('GET', path)
  expect(steps.slice(0, 2)).toEqual(['lag', 'rows'])
  expect(steps.filter(step => step === 'lag').length).toBeLessThan(3)
})

const { direct, overflow, staging, filled, ingestion, traceParts, entities, scores: scoreTopic } = topicNames
const everyLag = (scoresLagMs = 0): readonly GroupLag[] =>
  [
    ...[direct, overflow, staging, filled, entities, scoreTopic].map(topic => ({ group: groupNames.writer, topic })),
    { group: groupNames.propagator, topic: staging },
    ...[ingestion, traceParts].map(topic => ({ group: groupNames.merger, topic })),
  ].map(step => {
    const lagMs = step.topic === scoreTopic ? scoresLagMs : 0
    return { ...step, partition: 0, committed: 0, lagMs, lagRecords: lagMs > 0 ? 1 : 0 }
  })

/**
 * Starts an API, and makes the API query the lag of the log several times. The API queries the lag at most once in five seconds, so the
 * test sets the clock forward before each request.
 */
async function startWatchingApi(scoresLagMs: number) {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const startedMs = Date.now()
  const api = await startApi({
    env: { SVC_MIGRATION_V4_WRITE_MODE: 'dual' },
    log: logWith(async () => everyLag(scoresLagMs)),
  })
  // A record can pass several steps on its way to a table. The API must query the lag several times before it can compute the time before
  // which all steps are complete.
  for (let look = 1; look <= 5; look++) {
    vi.setSystemTime(startedMs + look * 6_000)
    await api.send('GET', path)
  }
  return api
}

test('every read of the column store has the time, also if it finds nothing', async () => {
  await using api = await startWatchingApi(0)
  const reads = handlers.filter(
    ({ operation, queue }) => queue === 'columnStore' && operation.method === 'GET' && operation.auth === 'project',
  )
  const found = new Map<string, boolean>()
  for (const { operation } of reads) {
    const { status, headers } = await api.send('GET', operation.path.replaceAll(/\{\w+\}/g, 'x'))
    if (status === 200 || status === 404) found.set(operation.id, 'x-svc-complete-until' in headers)
  }
  expect([...found].filter(([, has]) => !has)).toEqual([])
  expect([...found.keys()]).toEqual(expect.arrayContaining(['observations.getMany', 'legacy.getTrace', 'legacy.listSessions']))
})

test('a waiting score changes the time only of reads that return scores', async () => {
  await using api = await startWatchingApi(600_000)
  const month = { fromTimestamp: '2026-11-01T00:00:00Z', toTimestamp: '2026-12-01T00:00:00Z' }
  const query = JSON.stringify({ view: 'observations', metrics: [{ measure: 'count', aggregation: 'count' }], ...month })
  const secondsBehind = async (read: string) => {
    const { status, headers } = await api.send('GET', `/api/public/${read}`)
    expect(status).toBe(200)
    return Math.round((Date.now() - Date.parse(headers['x-svc-complete-until'] as string)) / 1_000)
  }
  expect(await secondsBehind('v2/observations')).toBeLessThan(60)
  for (const read of ['v3/scores', `v2/metrics?query=${encodeURIComponent(query)}`]) expect(await secondsBehind(read)).toBeGreaterThan(500)
})
