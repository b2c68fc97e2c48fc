// A propagator that the test runs step by step. This propagator has no windows: it publishes each record alone, and each ledger range has
// one record. A test can change the published records to simulate a defect or a loss.

import type { EventLog, LogRecord, NewRecord } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { encodeDeadLetter } from '@svc-server/schema/dead-letter'
import { decodeEntity, encodeEntity, isEntity } from '@svc-server/schema/entity'
import { spansOfRecord } from '@svc-server/schema/envelope'
import { encodeLedgerRecord, type LedgerRecord, repairLedgerGroup } from '@svc-server/schema/ledger-record'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { isStagedRunItem } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'

const { staging, filled, ledger, deadLetter } = topicNames

export interface Tampering {
  /** Changes the ledger record. If the function returns null, the propagator publishes no ledger record. */
  readonly ledger?: (record: LedgerRecord) => LedgerRecord | null
  /** Changes the filled record. If the function returns an empty list, the propagator publishes no record. */
  readonly filled?: (record: NewRecord, offset: number) => readonly NewRecord[]
}

const publication = (record: LogRecord, generation: number): NewRecord => {
  const { partition, offset, timestampMs, key, value } = record
  const fill = { traceAttributes: { userId: `g${generation}` }, staged: { partition, offset, timestampMs, generation } }
  const filled = isEntity(value!)
    ? encodeEntity({ ...decodeEntity(value!), ...fill })
    : encodeSpanBatch({ ...decodeSpanBatch(value!), ...fill })
  return { key, partition, value: filled }
}

const isReadable = ({ value }: LogRecord): boolean => {
  try {
    if (!isEntity(value!) && !isStagedRunItem(value!)) decodeSpanBatch(value!)
    return true
  } catch (error) {
    if (error instanceof UndecodableRecord) return false
    throw error
  }
}

const ledgerAppend = (record: LedgerRecord | null): readonly NewRecord[] =>
  record === null ? [] : [{ key: Buffer.from(`${record.topic}/${record.partition}`), value: encodeLedgerRecord(record) }]

const letterOf = ({ partition, offset, value }: LogRecord): NewRecord => ({
  key: null,
  value: encodeDeadLetter({
    ...{ id: `${staging}/${partition}/${offset}/-`, stage: 'propagator', reason: 'record_undecodable', message: '', projectId: null },
    ...{ topic: staging, partition, offset, index: null, raw: value!, atMs: 0 },
  }),
})

function publish(record: LogRecord, tampering: Tampering): Map<string, readonly NewRecord[]> {
  const { partition, offset } = record
  const good = isReadable(record)
  const spans = spansOfRecord(record.value)
  const told: LedgerRecord = {
    ...{ group: groupNames.propagator, topic: staging, partition, first: offset, last: offset, records: 1, spans },
    ...{ rows: good ? spans : 0, deadLettered: good ? 0 : spans, denied: 0, versions: {} },
  }
  const { ledger: tell = record => record, filled: change = record => [record] } = tampering
  return new Map<string, readonly NewRecord[]>([
    [filled, good && !isStagedRunItem(record.value!) ? change(publication(record, 0), offset) : []],
    [deadLetter, good ? [] : [letterOf(record)]],
    [ledger, ledgerAppend(tell(told))],
  ])
}

const republish = (record: LogRecord, generation: number, number: number, { filled: change = record => [record] }: Tampering) => {
  const { partition, offset, value } = record
  const spans = spansOfRecord(value)
  const told: LedgerRecord = {
    ...{ group: repairLedgerGroup, topic: staging, partition, first: number, last: number, records: 1, spans, rows: spans },
    ...{ deadLettered: 0, denied: 0, versions: {} },
  }
  return new Map<string, readonly NewRecord[]>([
    [filled, change(publication(record, generation), offset)],
    [ledger, ledgerAppend(told)],
  ])
}

/** Publishes each record together with its ledger record in one commit. With `repairs`, it publishes each record twice. */
export async function propagate(log: EventLog, tampering: Tampering = {}, { repairs = false } = {}): Promise<void> {
  const failed = Promise.withResolvers<never>()
  const consumer = await log.consume({
    ...{ group: groupNames.propagator, topics: [staging], minBytes: 1, maxWaitMs: 5, maxBatchBytes: 1 << 20, concurrency: 2 },
    async onBatch({ records }, context) {
      for (const record of records) {
        await context.commitWith(record.offset + 1, '', publish(record, tampering))
        if (repairs) await context.commitWith(record.offset + 1, '', republish(record, 1, record.offset, {}))
      }
      return { kind: 'done' }
    },
    onFatal: failed.reject,
  })
  const left = async () => {
    const described = (await log.describe()).find(({ spec }) => spec.name === staging)!
    const committed = await log.committed(groupNames.propagator, staging)
    return described.partitions.reduce(
      (sum, { partition, lowWatermark, highWatermark }) => sum + highWatermark - (committed.get(partition)?.offset ?? lowWatermark),
      0,
    )
  }
  const drained = async () => {
    while ((await left()) > 0) await new Promise(resolve => setTimeout(resolve, 5))
  }
  await Promise.race([drained(), failed.promise])
  await consumer.stop()
}

export interface RepairOptions extends Pick<Tampering, 'filled'> {
  readonly partition: number
  readonly offset: number
  readonly generation: number
  readonly number: number
}

/**
 * Publishes a record a second time, like a repair by the propagator. The published record and its ledger record are not appended in one
 * commit. No audit may run between the two appends, because it would see only the first of these records.
 */
export async function repair(log: EventLog, { partition, offset, generation, number, ...tampering }: RepairOptions): Promise<void> {
  const [record] = (await log.read(staging, partition, offset, 1)).records
  for (const [topic, records] of republish(record!, generation, number, tampering)) await log.append(topic, records)
}
