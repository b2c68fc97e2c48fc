import type { LogRecord, OwnedPartition } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type Command, commandKey, encodeCommand } from '@svc-server/schema/command'
import { createLogger } from '@svc-server/service/logs'
import { expect, test } from 'vitest'
import { createExecutor } from '../src/deletions/executor.ts'

const topic = topicNames.commands
const schedule = { pollMs: 1, sweepsMs: [0, 10], everyMs: 20, knownMs: 30, windowsMs: 60, removalMs: 5 }

function recordsOf(commands: readonly (Pick<Command, 'kind'> & Partial<Command>)[]): readonly LogRecord[] {
  return commands.map((said, offset) => {
    const command = { projectId: 'p', traceId: 't', value: null, acceptedAtMs: 1, ...said }
    return { topic, partition: 0, offset, timestampMs: 1, key: Buffer.from(commandKey(command)), value: encodeCommand(command) }
  })
}

async function carriedOut(commands: Parameters<typeof recordsOf>[0], fails = 0) {
  const records = recordsOf(commands)
  const did: string[] = []
  const commits: number[] = []
  let left = fails
  const executor = createExecutor({
    log: {
      read: async (_, __, from) => ({
        topic,
        partition: 0,
        records: records.slice(from),
        nextOffset: records.length,
        highWatermark: records.length,
      }),
      describe: async () => [],
      committed: async () => new Map(),
    },
    rows: {
      hide: async deleted => void (deleted.length > 0 && did.push(`hide ${deleted.map(({ traceId }) => traceId).join()}`)),
      hideScores: async scores =>
        void (scores.length > 0 && did.push(scores.map(({ id, untilMs }) => `score ${id} until ${untilMs}`).join())),
      remove: async deleted => {
        did.push(`remove ${deleted.map(({ traceId }) => traceId).join()}`)
        return left-- <= 0
      },
    },
    flags: {
      set: async flags =>
        void (flags.length > 0 && did.push(flags.map(({ traceId, name, value }) => `${traceId} ${name} ${value}`).join())),
    },
    deadLetters: { clean: async () => true },
    ...{ group: 'g', topics: [], logger: createLogger({ service: 'test', level: 'silent' }), schedule },
    onFinished: async finished => void did.push(`finished ${finished.map(({ traceId }) => traceId).join()}`),
  })
  const owned = {
    ...{ topic, partition: 0, committed: undefined, signal: new AbortController().signal },
    commit: async (offset: number) => void commits.push(offset),
    commitWith: async () => {},
  } satisfies OwnedPartition
  expect(await executor.work(owned)).toEqual({ kind: 'done' })
  expect(executor.pending).toBe(0)
  return { did, commits }
}

test('the last of several flags is set three times, and then its command is complete', async () => {
  const { did, commits } = await carriedOut([
    { kind: 'set_public', value: true },
    { kind: 'set_bookmarked', value: true },
    { kind: 'set_public', value: false },
    { kind: 'set_public', value: true, traceId: 'other' },
  ])
  const times = Map.groupBy(
    did.flatMap(each => each.split(',')),
    flag => flag,
  )
  expect(new Set(times.keys())).toEqual(new Set(['t bookmarked true', 't public false', 'other public true']))
  for (const each of times.values()) expect(each.length).toBeGreaterThan(2)
  expect(commits.at(-1)).toBe(4)
})

test('flags and deletions run concurrently: a refused command is retried, all commands complete, and the offset ends after the last', async () => {
  const { did, commits } = await carriedOut(
    [
      { kind: 'delete_trace', traceId: 'a' },
      { kind: 'set_public', value: true },
      { kind: 'delete_project', traceId: null },
    ],
    2,
  )
  expect(did.filter(each => each.startsWith('remove')).length).toBeGreaterThan(2)
  const finished = did.filter(each => each.startsWith('finished'))
  expect(finished.flatMap(each => each.slice('finished '.length).split(',')).sort()).toEqual(['', 'a'])
  expect(commits).toEqual(commits.toSorted())
  expect(commits.at(-1)).toBe(3)
})

test('a score is hidden repeatedly until records under way are stored, up to the time of its last command', async () => {
  const { did, commits } = await carriedOut([
    { kind: 'delete_score', traceId: 's' },
    { kind: 'delete_score', traceId: 'other' },
  ])
  const hidden = did.flatMap(each => each.split(','))
  for (const id of ['s', 'other']) expect(hidden.filter(each => each === `score ${id} until 1`).length).toBeGreaterThan(2)
  expect(commits.at(-1)).toBe(2)
})
