import { afterEach, vi } from 'vitest'
import type {
  BatchOutcome,
  ConsumeOptions,
  Consumer,
  EventLog,
  FetchedBatch,
  LogRecord,
  PartitionContext,
  TopicSpec,
} from '../../src/port.ts'
import type { LogAdapter, LogStore } from './adapter.ts'

const day = 24 * 3_600_000

export const topic = (overrides: Partial<TopicSpec> = {}): TopicSpec => ({
  name: 'spans',
  partitions: 1,
  cleanup: 'delete',
  retentionMs: 7 * day,
  maxRecordBytes: 8 * 1024 * 1024,
  readers: [],
  ...overrides,
})

export const bytes = (text: string): Uint8Array => Buffer.from(text)
export const text = (data: Uint8Array | null): string | null => (data === null ? null : Buffer.from(data).toString())
export const values = (records: readonly LogRecord[]): (string | null)[] => records.map(({ value }) => text(value))
export const keyless = (value: string, partition?: number) => ({
  key: null,
  value: bytes(value),
  ...(partition === undefined ? {} : { partition }),
})
export const keyed = (key: string, value: string | null) => ({ key: bytes(key), value: value === null ? null : bytes(value) })

export async function readAll(log: EventLog, name: string, partition: number, from = 0, maxBytes = 1 << 20): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for (let position = from; ; ) {
    const batch = await log.read(name, partition, position, maxBytes)
    records.push(...batch.records)
    if (batch.nextOffset >= batch.highWatermark) return records
    position = batch.nextOffset
  }
}

export const waitFor = <T>(condition: () => T | Promise<T>): Promise<T> => vi.waitFor(condition, { timeout: 60_000, interval: 10 })

export type Handler = (batch: FetchedBatch, context: PartitionContext) => Promise<BatchOutcome>

export const done: BatchOutcome = { kind: 'done' }

/** This handler commits after every batch. */
export const commitAll: Handler = async (batch, context) => {
  await context.commit(batch.nextOffset, '')
  return done
}

export interface Collected {
  readonly batches: FetchedBatch[]
  readonly fatal: unknown[]
  readonly consumer: Consumer
  records(): LogRecord[]
}

export async function collect(
  log: EventLog,
  options: Partial<ConsumeOptions> & { topics: readonly string[] },
  handler: Handler = commitAll,
): Promise<Collected> {
  const batches: FetchedBatch[] = []
  const fatal: unknown[] = []
  const consumer = await log.consume({
    group: 'group',
    minBytes: 1,
    maxWaitMs: 100,
    maxBatchBytes: 1 << 20,
    concurrency: 2,
    onFatal: error => void fatal.push(error),
    ...options,
    onBatch: (batch, context) => {
      batches.push(batch)
      return handler(batch, context)
    },
  })
  return { batches, fatal, consumer, records: () => batches.flatMap(({ records }) => records) }
}

export interface Fixture {
  store(): Promise<LogStore>
  /** Opens a log in its own store. The log is closed after the test. */
  log(topics: readonly TopicSpec[]): Promise<{ log: EventLog; store: LogStore }>
  reopen(log: EventLog, store: LogStore, topics: readonly TopicSpec[]): Promise<EventLog>
}

export function useLogs(adapter: LogAdapter): Fixture {
  const stores: LogStore[] = []
  const logs: EventLog[] = []
  afterEach(async () => {
    await Promise.all(logs.splice(0).map(log => log.close()))
    await Promise.all(stores.splice(0).map(store => store.destroy()))
  })
  const store = async () => {
    const made = await adapter.createStore()
    stores.push(made)
    return made
  }
  const open = async (where: LogStore, topics: readonly TopicSpec[]) => {
    const log = await where.open(topics)
    logs.push(log)
    return log
  }
  return {
    store,
    async log(topics) {
      const where = await store()
      return { store: where, log: await open(where, topics) }
    },
    async reopen(log, where, topics) {
      await log.close()
      return open(where, topics)
    },
  }
}

export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open: () => open() }
}
