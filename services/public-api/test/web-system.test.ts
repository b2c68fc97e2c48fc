// The API queries the log at most once every five seconds. While the log does not respond, the API's response has no data about the log.
import { AppError } from '@svc-server/errors'
import { expect, test } from 'vitest'
import { createLogStatus } from '../src/log-status.ts'
import { systemStatus } from '../src/operations/web-system/status.ts'

const lagOf = (group: string, topic: string, partition: number, lagRecords: number, lagMs: number) => ({
  ...{ group, topic, partition, lagRecords, lagMs, committed: 0 },
})
const lags = [
  lagOf('svc.writer', 'spans.direct', 0, 3, 2_000.4),
  lagOf('svc.writer', 'spans.direct', 1, 4, 9_000),
  lagOf('svc.propagator', 'spans.staging', 0, 0, 0),
]

let nowMs = 0
const clock = () => nowMs

async function statusOf(logStatus: ReturnType<typeof createLogStatus>, atMs: number) {
  nowMs = atMs
  const stored = { columnStore: { query: async () => [] }, log: { logId: () => 'log' } }
  const deps = { ...stored, logStatus, clock, version: '4.59.0', writeMode: 'events_only', completeUntil: async () => undefined }
  const { status, body } = await systemStatus.run({} as never, deps as never)
  return systemStatus.operation.responses[status]!.parse(body)
}

test('partitions of a group and topic are one line, largest backlog first, and dead letters are counted', async () => {
  let looks = 0
  const log = {
    async lag() {
      looks += 1
      return lags
    },
    describe: async () => [{ spec: { name: 'dead-letter' }, partitions: [{ records: 2 }, { records: 5 }] }],
  }
  const logStatus = createLogStatus({ log: log as never, clock })
  expect(await statusOf(logStatus, 1_000_000)).toMatchObject({
    backlog: [
      { group: 'svc.writer', topic: 'spans.direct', records: 7, oldestMs: 9_000 },
      { group: 'svc.propagator', topic: 'spans.staging', records: 0, oldestMs: 0 },
    ],
    deadLetters: 7,
  })
  await statusOf(logStatus, 1_004_999)
  expect(looks).toBe(1)
  await statusOf(logStatus, 1_005_000)
  expect(looks).toBe(2)
})

test('all other parts are shown while the log does not respond', async () => {
  const down = async () => {
    throw new AppError('log_unavailable', 'The log did not respond.')
  }
  const logStatus = createLogStatus({ log: { lag: down, describe: down }, clock })
  expect(await statusOf(logStatus, 1_000_000)).toMatchObject({ version: '4.59.0', backlog: null, deadLetters: null })
})

test('a log that hangs delays the page only briefly', async () => {
  const never = () => new Promise<never>(() => {})
  const logStatus = createLogStatus({ log: { lag: never, describe: never }, clock })
  expect(await statusOf(logStatus, 1_000_000)).toMatchObject({ backlog: null, deadLetters: null })
})
