import type { GroupLag } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { expect, test } from 'vitest'
import { startApi } from './api.ts'

const path = '/api/public/v3/scores'
const scores = (lagMs: number): GroupLag => ({
  ...{ group: groupNames.writer, topic: topicNames.scores, partition: 0, committed: 0 },
  ...{ lagMs, lagRecords: lagMs > 0 ? 1 : 0 },
})

async function headerWith(lag: () => Promise<readonly GroupLag[]>) {
  await using api = await startApi({ log: real => Object.assign(Object.create(real) as typeof real, { lag }) })
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
  await using api = await startApi({ columnStore, log: real => Object.assign(Object.create(real) as typeof real, { lag }) })
  for (let i = 0; i < 3; i++) await api.send('GET', path)
  expect(steps.slice(0, 2)).toEqual(['lag', 'rows'])
  expect(steps.filter(step => step === 'lag').length).toBeLessThan(3)
})
