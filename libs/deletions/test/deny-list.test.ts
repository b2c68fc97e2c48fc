import { AppError } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type Command, encodeCommand } from '@svc-server/schema/command'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry, createMetrics } from '@svc-server/service/metrics'
import { metricSum, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createDenyList, type DenyListOptions } from '../src/deny-list.ts'
import { denyListMetrics } from '../src/metrics.ts'

const topic = topicNames.commands

/** Creates a log with two partitions. The first `failures` calls fail. */
function createLog(failures = 0) {
  const partitions: LogRecord[][] = [[], []]
  let low = 0
  let left = failures
  const log = {
    describe: async () => [{ spec: { name: topic }, partitions: partitions.map((_, partition) => ({ partition, lowWatermark: low })) }],
    async read(_: string, partition: number, from: number) {
      if (left-- > 0) throw new AppError('log_unavailable', 'no')
      if (from < low) throw new AppError('offset_out_of_range', 'gone')
      const records = partitions[partition]!.filter(({ offset }) => offset >= from).slice(0, 1)
      const highWatermark = partitions[partition]!.length
      return { topic, partition, records, nextOffset: records[0] === undefined ? highWatermark : records[0].offset + 1, highWatermark }
    },
  } as unknown as Pick<EventLog, 'read' | 'describe'>
  return {
    log,
    append(partition: number, value: Uint8Array) {
      const offset = partitions[partition]!.length
      partitions[partition]!.push({ topic, partition, offset, timestampMs: 1, key: null, value })
    },
    retain(from: number) {
      low = from
      for (const records of partitions) records.splice(0, records.length, ...records.filter(({ offset }) => offset >= from))
    },
    failing(times: number) {
      left = times
    },
  }
}

const command = (traceId: string | null, kind: Command['kind'] = 'delete_trace', projectId = 'p') =>
  encodeCommand({ projectId, kind, traceId, value: null, acceptedAtMs: 1 })

function open(options: Partial<DenyListOptions> & Pick<DenyListOptions, 'log'>) {
  const registry = createMetricRegistry({ runtime: false })
  const list = createDenyList({
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics(denyListMetrics, registry),
    pollMs: 1,
    ...options,
  })
  return { list, metric: async (name: string) => metricSum(await registry.render(), name) }
}

test('the list contains all commands from before its start, new commands, and remembered deletions', async () => {
  const { log, append } = createLog(2)
  append(0, command('one'))
  append(1, command('two'))
  append(1, command('flag', 'set_public'))
  const seen: string[] = []
  const { list, metric } = open({
    log,
    remembered: async () => [{ projectId: 'old', traceId: 'long ago' }],
    onCommand: ({ kind, traceId }) => void seen.push(`${kind} ${traceId}`),
  })
  expect(() => list.refuseWhenStale()).toThrow(AppError)
  expect(list.shared).toBe(undefined)
  await list.start()
  list.refuseWhenStale()
  expect(['one', 'two', 'flag'].map(trace => list.denies('p', trace))).toEqual([true, true, false])
  expect(list.denies('old', 'long ago')).toBe(true)
  expect(list.concerns('q')).toBe(false)
  expect(seen).toEqual(['delete_trace one', 'delete_trace two', 'set_public flag'])
  append(0, command(null, 'delete_project', 'q'))
  await waitFor(async () => list.denies('q', 'any'), { what: 'the command to be known' })
  expect(await metric('svc_deny_list_entries')).toBe(4)
  expect(await metric('svc_deny_list_bytes')).toBeGreaterThan(0)
  await list.stop()
})

test('unreadable commands are counted and skipped', async () => {
  const { log, append } = createLog()
  append(0, Buffer.from('no record'))
  append(0, command('one'))
  const { list, metric } = open({ log })
  await list.start()
  expect(list.denies('p', 'one')).toBe(true)
  expect(await metric('svc_deny_list_unread_total')).toBe(1)
  await list.stop()
})

test('deletions whose commands have expired stay on the list, and reading continues at the first existing record', async () => {
  const { log, append, retain, failing } = createLog()
  append(0, command('one'))
  const { list } = open({ log })
  await list.start()
  failing(1_000_000)
  for (let n = 0; n < 3; n++) append(0, command(`more ${n}`))
  retain(3)
  failing(0)
  await waitFor(async () => list.denies('p', 'more 2'), { what: 'the last command to be known' })
  expect(list.denies('p', 'one')).toBe(true)
  await list.stop()
})
