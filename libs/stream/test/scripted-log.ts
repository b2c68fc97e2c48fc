// A fake log. The test determines the log's batches and failures.
import { AppError } from '@svc-server/errors'
import type {
  BatchOutcome,
  CommittedOffset,
  ConsumeOptions,
  EventLog,
  FetchedBatch,
  LogRecord,
  NewRecord,
  PartitionContext,
} from '@svc-server/log'

export interface ScriptedLog {
  readonly log: EventLog
  readonly commits: (CommittedOffset & { deadLetters: number })[]
  readonly appended: NewRecord[]
  /** Delivers at most `records` records from the position of the last commit. */
  deliver(limits?: { records?: number; signal?: AbortSignal }): Promise<BatchOutcome>
  assign(): Promise<readonly { topic: string; partition: number; until: number }[]>
  failCommits(failure: ((commit: CommittedOffset) => AppError | null) | null): void
  /** The next `count` calls of `log.read`, which reads without a consumer group, return no records. */
  hideReads(count: number): void
}

const topic = 'items'
const partition = 0

export function createScriptedLog(records: readonly LogRecord[], end = (records.at(-1)?.offset ?? -1) + 1): ScriptedLog {
  const commits: (CommittedOffset & { deadLetters: number })[] = []
  const appended: NewRecord[] = []
  let consume: ConsumeOptions | null = null
  let hidden = 0
  let failure: ((commit: CommittedOffset) => AppError | null) | null = null
  const position = () => commits.at(-1)?.offset ?? 0

  const fetch = (from: number, count: number): FetchedBatch => {
    const rest = records.filter(record => record.offset >= from)
    const taken = rest.slice(0, count)
    return { topic, partition, records: taken, nextOffset: rest[count]?.offset ?? end, highWatermark: end }
  }
  const commit = async (offset: number, metadata: string, deadLetters: readonly NewRecord[] = []) => {
    const refused = failure?.({ offset, metadata })
    if (refused) throw refused
    commits.push({ offset, metadata, deadLetters: deadLetters.length })
    appended.push(...deadLetters)
  }
  const unused = () => Promise.reject(new Error('not part of this test'))
  const log: EventLog = {
    kind: 'embedded',
    logId: () => 'scripted',
    append: unused,
    async consume(options) {
      consume = options
      return { stop: async () => undefined }
    },
    own: unused,
    read: async (_topic, _partition, from) => (hidden-- > 0 ? { ...fetch(from, 0), nextOffset: from } : fetch(from, 1)),
    committed: unused,
    deleteBefore: unused,
    describe: unused,
    lag: unused,
    close: async () => undefined,
  }
  return {
    log,
    commits,
    appended,
    async deliver({ records: count = Number.POSITIVE_INFINITY, signal = new AbortController().signal } = {}) {
      const context: PartitionContext = {
        committed: commits.at(-1),
        commit,
        commitWith: (offset, metadata, appends) => commit(offset, metadata, [...appends.values()].flat()),
        heartbeat: async () => undefined,
        signal,
      }
      try {
        return await consume!.onBatch(fetch(position(), count), context)
      } catch (error) {
        consume!.onFatal(error)
        throw error
      }
    },
    async assign() {
      const committed = commits.at(-1)
      const one = { topic, partition, lowWatermark: 0, highWatermark: end, ...(committed ? { committed } : {}) }
      return (await consume!.onAssigned?.([one])) ?? []
    },
    failCommits(next) {
      failure = next
    },
    hideReads(count) {
      hidden = count
    },
  }
}

export const recordsAt = (
  offsets: readonly number[],
  value: (offset: number) => Uint8Array = offset => Buffer.from(String(offset)),
): LogRecord[] => offsets.map(offset => ({ topic, partition, offset, timestampMs: 1_000 + offset, key: null, value: value(offset) }))

export const down = () => new AppError('log_unavailable', 'down')
