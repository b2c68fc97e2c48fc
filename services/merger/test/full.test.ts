import { AppError, isAppError } from '@svc-server/errors'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { ingestionRecord, traceIdOf } from './events.ts'
import { hexOf, newRecord, startMs, startUs } from './spans.ts'
import { createMergerWorld } from './world.ts'

const projectId = 'p'
const sent = { projectId, atMs: startMs, writeMode: 'dual' } as const

function stagedSpan(number: number): NewRecord {
  const says = { 'svc.trace.name': 'n'.repeat(600) }
  const spans = [{ spanId: hexOf(number, 16), startUs, root: true, name: 'x'.repeat(200), says }]
  const made = newRecord({ projectId, traceId: traceIdOf(number), spans })
  return { ...made, value: encodeSpanBatch({ ...decodeSpanBatch(made.value!), writeMode: 'dual' }) }
}

test('staged spans and their parts fill both topics during an outage of the column store, and everything is merged after it', async () => {
  let isAway = true
  const older = {
    async find() {
      if (isAway) throw new AppError('column_store_unavailable', 'Away.')
      return new Map()
    },
  }
  const maxTopicBytes = { [topicNames.staging]: 150_000, [topicNames.traceParts]: 50_000 }
  await using world = await createMergerWorld({ partitions: 1, older, maxTopicBytes, config: { readBytes: 10_000 } })
  await world.start()
  for (let number = 0; number < 40; number++) {
    const [entityId, trace] = [`o${number}`, traceIdOf(number)]
    const events = [
      ingestionRecord({
        ...sent,
        entityType: 'trace',
        entityId: trace,
        eventType: 'trace-create',
        eventId: trace,
        body: { name: 'legacy' },
      }),
      ingestionRecord({
        ...sent,
        entityType: 'observation',
        entityId,
        eventType: 'span-create',
        eventId: entityId,
        body: { traceId: trace },
      }),
    ]
    await world.append(
      topicNames.ingestion,
      events.map(({ record }) => record),
    )
  }
  let staged = 0
  const isRefused = async () => {
    try {
      await world.append(topicNames.staging, [stagedSpan(staged)])
      staged++
      return false
    } catch (error) {
      if (isAppError(error) && error.code === 'log_full') return (await world.metric('svc_merger_retries_total', 'code="log_full"')) > 0
      throw error
    }
  }
  await waitFor(isRefused, { what: 'both topics to be full', timeoutMs: 20_000, everyMs: 1 })
  isAway = false
  await world.settled()
  expect(staged).toBeGreaterThan(40)
  const bytesOf = async (topic: string) =>
    (await world.log.describe()).find(({ spec }) => spec.name === topic)!.partitions.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(await bytesOf(topicNames.staging)).toBeLessThan(2 * maxTopicBytes[topicNames.staging])
  expect(await bytesOf(topicNames.traceParts)).toBeLessThanOrEqual(maxTopicBytes[topicNames.traceParts])
})
