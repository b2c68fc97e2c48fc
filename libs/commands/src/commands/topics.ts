// Operators run this command first when rows do not arrive.
import { parseArgs } from 'node:util'
import { counted } from '@svc-server/errors'
import type { EventLog, LogRecord } from '@svc-server/log'
import { readRange } from '@svc-server/log/read-range'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { decodeStagedRunItem, isStagedRunItem } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { type Command, UsageError } from '../command.ts'
import { formatAge, formatBytes, table } from '../table.ts'

const help = `svc topics [TOPIC] [--records N] [--json]

Without TOPIC: list every topic with its partitions' offsets, records and bytes, and the lag of each consumer group.
With TOPIC: list its partitions and the newest N records (default 5) with offset, append time, size and envelope.

  --records N   number of newest records to show (0 to 1000)
  --json        print JSON`

const iso = (ms: number) => new Date(ms).toISOString()

async function listTopics(log: EventLog, json: boolean, print: (line: string) => void): Promise<void> {
  const [topics, lag] = [await log.describe(), await log.lag()]
  if (json) return print(JSON.stringify({ topics, lag }, null, 2))
  const rows = topics.map(({ spec, partitions }) => {
    const sum = (pick: (partition: (typeof partitions)[number]) => number) => partitions.reduce((total, each) => total + pick(each), 0)
    return [spec.name, partitions.length, sum(each => each.records), formatBytes(sum(each => each.bytes)), sum(each => each.highWatermark)]
  })
  print(table(['topic', 'partitions', 'records', 'bytes', 'appended'], rows))
  if (lag.length === 0) return
  const behind = lag.map(each => [each.group, each.topic, each.partition, each.committed, each.lagRecords, formatAge(each.lagMs)])
  print(`\n${table(['group', 'topic', 'partition', 'committed', 'behind', 'oldest unread'], behind)}`)
}

interface Shown {
  readonly timestampMs: number
  readonly offset: number
  readonly cells: readonly (string | number)[]
}

const showRecord = (record: LogRecord): Shown => ({
  timestampMs: record.timestampMs,
  offset: record.offset,
  cells: describeRecord(record),
})

function describeRecord(record: LogRecord): readonly (string | number)[] {
  const head = [
    record.partition,
    record.offset,
    iso(record.timestampMs),
    formatBytes((record.key?.length ?? 0) + (record.value?.length ?? 0)),
  ]
  const key = record.key ? Buffer.from(record.key).toString('utf8') : '-'
  if (!record.value) return [...head, key, 'tombstone']
  try {
    return [...head, key, contentOf(record.value)]
  } catch (error) {
    if (error instanceof UndecodableRecord) return [...head, key, '-']
    throw error
  }
}

function contentOf(value: Uint8Array): string {
  if (isEntity(value)) {
    const { projectId, entityType, entityId, versionMs } = decodeEntity(value)
    return `${entityType} ${entityId} of project ${projectId}, ${versionMs === 0 ? 'a part of the entity' : `version ${versionMs}`}`
  }
  if (isStagedRunItem(value)) {
    const { id, projectId, runName } = decodeStagedRunItem(value)
    return `run item ${id} of project ${projectId}, run ${runName}`
  }
  const { spanCount, projectId, sdkName, sdkVersion } = decodeSpanBatch(value)
  return `${counted(spanCount, 'span')} of project ${projectId}, sdk ${sdkName} ${sdkVersion}`
}

/**
 * Returns the newest records of a partition, oldest first. The function first reads the last `wanted` offsets of the partition. Some
 * offsets have no record. While fewer than `wanted` records are found, the function reads four times as many offsets as before, at most the
 * whole partition. Only the displayed parts are kept, because a thousand large records would not fit into memory.
 */
async function newestRecords(log: EventLog, topic: string, partition: number, low: number, high: number, wanted: number) {
  for (let back = wanted; ; back *= 4) {
    const records: Shown[] = []
    const from = Math.max(low, high - back)
    for await (const batch of readRange(log, { topic, partition, from, until: high }, 8 << 20)) {
      for (const record of batch.records) records.push(showRecord(record))
      if (records.length > 2 * wanted) records.splice(0, records.length - wanted)
    }
    if (records.length >= wanted || from === low) return records.slice(-wanted)
  }
}

async function showTopic(log: EventLog, name: string, wanted: number, json: boolean, print: (line: string) => void): Promise<void> {
  const topics = await log.describe()
  const topic = topics.find(each => each.spec.name === name)
  if (!topic) throw new UsageError(`there is no topic '${name}'. There are: ${topics.map(each => each.spec.name).join(', ')}.`)
  const records: Shown[] = []
  for (const { partition, lowWatermark, highWatermark } of topic.partitions) {
    if (wanted > 0 && highWatermark > lowWatermark)
      for (const record of await newestRecords(log, name, partition, lowWatermark, highWatermark, wanted)) records.push(record)
  }
  records.sort((a, b) => a.timestampMs - b.timestampMs || a.offset - b.offset)
  const newest = wanted > 0 ? records.slice(-wanted) : []
  if (json) {
    const plain = newest.map(({ cells: [partition, offset, time, size, key, content] }) => {
      return { partition, offset, time, size, key, content }
    })
    return print(JSON.stringify({ topic, newest: plain }, null, 2))
  }
  const partitions = topic.partitions.map(each => [
    each.partition,
    each.lowWatermark,
    each.highWatermark,
    each.records,
    formatBytes(each.bytes),
    each.newestTimestampMs === undefined ? '-' : iso(each.newestTimestampMs),
  ])
  print(table(['partition', 'low', 'high', 'records', 'bytes', 'newest'], partitions))
  if (newest.length > 0)
    print(
      `\n${table(
        ['partition', 'offset', 'appended', 'size', 'key', 'content'],
        newest.map(({ cells }) => cells),
      )}`,
    )
}

export const command: Command = {
  help,
  async run(args, { log, print }) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { records: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
    })
    const wanted = Number(values.records)
    if (!Number.isInteger(wanted) || wanted < 0 || wanted > 1000)
      throw new UsageError(`--records ${values.records}: give a number from 0 to 1000.`)
    if (positionals.length > 1) throw new UsageError(`give one topic, not ${positionals.length}.`)
    const [name] = positionals
    await (name === undefined ? listTopics(await log(), values.json, print) : showTopic(await log(), name, wanted, values.json, print))
  },
}
