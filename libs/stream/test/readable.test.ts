import type { CommittedOffset, EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { expect, test } from 'vitest'
import type { Awaited } from '../src/ingest-id.ts'
import { createWaitUntilReadable } from '../src/readable.ts'

/** Creates topics with two partitions each. */
function createModel() {
  const highs = new Map<string, [number, number]>()
  const committed = new Map<string, Map<number, CommittedOffset>>()
  const asked: (() => void)[] = []
  const log: Pick<EventLog, 'committed' | 'describe'> = {
    async committed(group, topic) {
      for (const resolve of asked.splice(0)) resolve()
      return new Map(committed.get(`${group} ${topic}`))
    },
    async describe() {
      return [...highs].map(([name, ends]) => ({
        spec: { name } as never,
        partitions: ends.map((highWatermark, partition) => ({
          partition,
          lowWatermark: 0,
          highWatermark,
          records: highWatermark,
          bytes: 0,
        })),
      }))
    },
  }
  return {
    log,
    append: (topic: string, ends: [number, number]) => highs.set(topic, ends),
    commit(group: string, topic: string, partition: number, offset: number) {
      const key = `${group} ${topic}`
      committed.set(key, (committed.get(key) ?? new Map()).set(partition, { offset, metadata: '' }))
    },
    /** Resolves after the next `times` calls of `log.committed` by the tested code. */
    async polled(times = 2) {
      for (let i = 0; i < times; i++) await new Promise<void>(resolve => asked.push(resolve))
    },
  }
}

const { writer, propagator } = groupNames
const never = new AbortController().signal

function waiting(model: ReturnType<typeof createModel>, awaited: Awaited, timeoutMs = 60_000) {
  let result: boolean | undefined
  const wait = createWaitUntilReadable({ log: model.log, pollMs: 1 })
  const ended = wait(awaited, { timeoutMs, signal: never }).then(isReadable => (result = isReadable))
  return {
    ended,
    get result() {
      return result
    },
  }
}

test('scores are readable when the writer has committed past them on each of their partitions', async () => {
  const model = createModel()
  model.append(topicNames.scores, [9, 9])
  model.commit(writer, topicNames.scores, 0, 5)
  const wait = waiting(
    model,
    new Map([
      [
        topicNames.scores,
        new Map([
          [0, 5],
          [1, 3],
        ]),
      ],
    ]),
  )
  await model.polled()
  expect(wait.result).toBeUndefined()
  model.commit(writer, topicNames.scores, 1, 2)
  await model.polled()
  expect(wait.result).toBeUndefined()
  model.commit(writer, topicNames.scores, 1, 3)
  expect(await wait.ended).toBe(true)
})

test('staged spans are readable when their window is published and everything published by then is stored', async () => {
  const model = createModel()
  model.append(topicNames.staging, [4, 0])
  model.append(topicNames.filled, [0, 0])
  model.commit(writer, topicNames.staging, 0, 4)
  const wait = waiting(model, new Map([[topicNames.staging, new Map([[0, 4]])]]))
  await model.polled()
  model.append(topicNames.filled, [0, 7])
  model.commit(propagator, topicNames.staging, 0, 4)
  await model.polled(4)
  expect(wait.result).toBeUndefined()
  model.commit(writer, topicNames.filled, 1, 7)
  expect(await wait.ended).toBe(true)
})

test('`all` waits for everything on the topic at the time of the request', async () => {
  const model = createModel()
  model.append(topicNames.direct, [2, 0])
  const wait = waiting(model, new Map([[topicNames.direct, 'all']]))
  await model.polled()
  model.append(topicNames.direct, [3, 3])
  model.commit(writer, topicNames.direct, 0, 2)
  expect(await wait.ended).toBe(true)
})

test('resolves with false after the timeout, even when the log fails or does not respond at all', async () => {
  const awaited: Awaited = new Map([[topicNames.scores, new Map([[0, 1]])]])
  const model = createModel()
  expect(await waiting(model, awaited, 5).ended).toBe(false)
  for (const committed of [() => Promise.reject(new Error('away')), () => new Promise<never>(() => {})]) {
    const wait = createWaitUntilReadable({ log: { ...model.log, committed }, pollMs: 1 })
    expect(await wait(awaited, { timeoutMs: 5, signal: never })).toBe(false)
  }
})

test('a client that disconnects ends its wait', async () => {
  const left = new AbortController()
  const wait = createWaitUntilReadable({ log: createModel().log, pollMs: 1 })
  const ended = wait(new Map([[topicNames.scores, new Map([[0, 1]])]]), { timeoutMs: 60_000, signal: left.signal })
  left.abort()
  expect(await ended).toBe(false)
})
