import { topicNames } from '@svc-server/modes/names'
import { encodeSdkUsage, type SdkUsage } from '@svc-server/schema/sdk-usage'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { sdkUsageOf } from './sdk-usage.ts'

eachTestHasItsWorld()

async function store(...all: readonly Partial<SdkUsage>[]) {
  for (const usage of all) await world.append(topicNames.sdkUsage, encodeSdkUsage(sdkUsageOf(usage)))
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
}

const rows = () => world.columnStore.query<Record<string, unknown>>('SELECT * EXCEPT updated_at FROM sdk_usage FINAL ORDER BY requests')

test('every field is in its column, and a later record of a process replaces its earlier one', async () => {
  await store(
    { spans: 1, scores: 3 },
    { source: 'another run', requests: 2 },
    { requests: 7, events: 9, scores: 4, lastSeenMs: 1_700_000_000_123 },
  )
  const row = { day: '2026-11-21', project_id: 'project-1', sdk_name: 'python', sdk_version: '2.60.10', path: 'ingestion' }
  expect(await rows()).toEqual([
    { ...row, source: 'another run', requests: '2', spans: '0', events: '2', scores: '0', last_seen: '2026-11-21 12:00:00.000' },
    { ...row, source: 'run', requests: '7', spans: '0', events: '9', scores: '4', last_seen: '2023-11-14 22:13:20.123' },
  ])
})

test('a record that the table cannot hold becomes a dead letter', async () => {
  await store({ day: -1 }, { day: 70_000 }, { requests: -1 }, {})
  expect((await rows()).length).toBe(1)
  expect((await world.deadLetters()).map(({ reason }) => reason)).toEqual(Array.from({ length: 3 }, () => 'start_time_range'))
})
