import type { NewRecord } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, type TopicName } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { createLogger } from '@svc-server/service/logs'
import { temporaryDirectory } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { isNeeded } from '../src/needed.ts'
import { ingestionRecord, traceIdOf } from './events.ts'
import { hexOf, newRecord, startMs, startUs } from './spans.ts'

const traceId = traceIdOf(1)

function spansOf(writeMode: WriteMode | null): NewRecord {
  const { key, value } = newRecord({ projectId: 'p', traceId, spans: [{ spanId: hexOf(1, 16), startUs }] })
  return { key, value: encodeSpanBatch({ ...decodeSpanBatch(value!), writeMode }) }
}

const event = ingestionRecord({
  ...{ projectId: 'p', entityType: 'trace', entityId: traceId, eventType: 'trace-create', eventId: 'e', atMs: startMs, body: {} },
}).record

async function after(records: readonly (readonly [TopicName, NewRecord])[], hasRun = false) {
  await using directory = await temporaryDirectory('svc-needed-')
  const topics = topicSpecs({ embedded: true, enabledReaders: Object.values(groupNames), lapsing: [groupNames.merger] })
  const log = await openEmbeddedLog({ directory: directory.path, topics, logger: createLogger({ service: 'test', level: 'silent' }) })
  try {
    for (const [topic, record] of records) await log.append(topic, [record])
    if (hasRun) {
      const done = Promise.withResolvers<void>()
      const consumer = await log.own({
        group: groupNames.merger,
        topics: ['spans.direct'],
        onAssigned: async () => {},
        async work(at) {
          await at.commit(1, '')
          done.resolve()
          return { kind: 'done' }
        },
        onFatal: done.reject,
      })
      await done.promise
      await consumer.stop()
    }
    const lagging = (await log.lag()).filter(({ group }) => group === groupNames.merger)
    return { needed: await isNeeded(log, 'events_only'), hasLag: lagging.length > 0 }
  } finally {
    await log.close()
  }
}

test('an installation that began in events_only runs no merger, and no records wait for a merger', async () => {
  expect(await after([])).toEqual({ needed: false, hasLag: false })
  expect(
    await after([
      ['spans.direct', spansOf('events_only')],
      ['spans.staging', spansOf('events_only')],
      ['spans.overflow', spansOf(null)],
    ]),
  ).toEqual({ needed: false, hasLag: false })
})

test.each([
  ['spans', 'spans.direct', spansOf('dual')],
  ['staged spans', 'spans.staging', spansOf('dual')],
  ['spans of legacy', 'spans.overflow', spansOf('legacy')],
  ['events of the legacy API', 'ingestion', event],
] as const)('the last records of an earlier mode are merged after a cutover: %s', async (_, topic, record) => {
  expect((await after([[topic, record]])).needed).toBe(true)
})

test('a merger that has run before is needed until an operator removes it, and readers wait for it', async () => {
  expect(await after([['spans.direct', spansOf('events_only')]], true)).toEqual({ needed: true, hasLag: true })
})
