// Runs a merger on the real embedded log and the real state. The tests can inject faults.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Denials, nothingDenied } from '@svc-server/deletions/denials'
import { AppError } from '@svc-server/errors'
import { freshThreads } from '@svc-server/fairness/worker-pool'
import type { NewRecord, OwnedPartition } from '@svc-server/log'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, type TopicName } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { topicSpecs } from '@svc-server/schema/topics'
import { createHealth, type Health } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import type { CommitFaults } from '@svc-server/testkit'
import { createKeptThreads, type ManualClock, manualClock, metricSum, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { createMerger, type MergerConfig } from '../src/app.ts'
import { noOlderRows, type OlderRows } from '../src/older-rows.ts'
import { startMs } from './spans.ts'

const MiB = 1024 * 1024

export const testConfig: MergerConfig = {
  writeMode: 'dual',
  readBytes: 4 * MiB,
  chunkBytes: 16 * MiB,
  maxEntityBytes: 7 * MiB,
  threads: 1,
  maxRecordBytes: 64 * MiB,
  maxRowBytes: 64 * MiB,
  maxWork: 3_000_000,
  brandAliases: [],
  deadLetterMin: 100,
  deadLetterShare: 0.2,
  haltedPauseMs: 60_000,
  retentionMs: 7 * 24 * 3_600_000,
  passedRestMs: 5,
  stuckThresholdMs: 900_000,
  storeSilenceMs: 15_000,
}

export interface MergerWorld extends AsyncDisposable {
  readonly log: EmbeddedLog
  readonly clock: ManualClock
  readonly faults: CommitFaults
  readonly bugs: readonly unknown[]
  readonly health: Health
  append(topic: TopicName, records: readonly NewRecord[]): Promise<unknown>
  start(): Promise<void>
  stop(): Promise<void>
  loseState(): void
  /** Resolves when all records are merged, or when the merger can make no more progress. */
  settled(): Promise<void>
  metric(name: string, labels?: string): Promise<number>
}

export interface MergerWorldOptions {
  readonly writeMode?: WriteMode
  readonly config?: Partial<MergerConfig>
  readonly older?: OlderRows
  readonly denials?: Denials
  readonly partitions?: number
  readonly maxTopicBytes?: Partial<Record<TopicName, number>>
}

export async function createMergerWorld({
  writeMode = 'dual',
  config = {},
  older = noOlderRows,
  denials = nothingDenied,
  partitions = 2,
  maxTopicBytes = {},
}: MergerWorldOptions = {}): Promise<MergerWorld> {
  const directory = await temporaryDirectory('svc-merger-')
  const stateDirectory = join(directory.path, 'state')
  const clock = manualClock(startMs)
  const topics = topicSpecs({
    embedded: true,
    enabledReaders: [groupNames.merger],
    partitions: { other: partitions, staging: 2, direct: 2 },
    maxTopicBytes,
  })
  const openLog = () => openEmbeddedLog({ directory: join(directory.path, 'log'), topics, clock: clock.now })
  let log = await openLog()
  let isOpen = true
  let merger: ReturnType<typeof createMerger> | undefined
  let health = createHealth()
  let metrics = createMetricRegistry({ runtime: false })
  const bugs: unknown[] = []
  const faults: CommitFaults = { fate: () => 'done', deadly: false }
  let isDead = false
  let busy = 0
  const gone = () => new AppError('log_unavailable', 'The log did not answer.')

  const commitWith =
    (owned: OwnedPartition): OwnedPartition['commitWith'] =>
    async (...args) => {
      const fate = isDead ? 'refused' : faults.fate(owned.partition)
      if (fate !== 'done' && faults.deadly) isDead = true
      if (fate !== 'refused') await owned.commitWith(...args)
      if (fate !== 'done') throw gone()
    }

  const faulty = (): EmbeddedLog => ({
    ...log,
    read: (...args) => (isDead ? Promise.reject(gone()) : log.read(...args)),
    own: options =>
      log.own({
        ...options,
        async work(owned) {
          const { topic, partition, signal } = owned
          busy++
          try {
            return await options.work({
              topic,
              partition,
              signal,
              get committed() {
                return owned.committed
              },
              commit: owned.commit,
              commitWith: commitWith(owned),
            })
          } finally {
            busy--
          }
        },
      }),
  })

  async function backlog(): Promise<number> {
    const lags = await log.lag()
    return lags.reduce((sum, { group, lagRecords }) => (group === groupNames.merger ? sum + lagRecords : sum), 0)
  }

  async function stop(): Promise<void> {
    await merger?.drain()
    merger = undefined
    await log.close()
    isOpen = false
  }

  return {
    clock,
    faults,
    bugs,
    stop,
    get log() {
      return log
    },
    get health() {
      return health
    },
    append: (topic, records) => log.append(topic, records),

    async start() {
      if (!isOpen) log = await openLog()
      isOpen = true
      isDead = false
      Object.assign(faults, { fate: () => 'done', deadly: false })
      metrics = createMetricRegistry({ runtime: false })
      health = createHealth()
      merger = createMerger(
        { ...testConfig, writeMode, ...config },
        {
          log: faulty(),
          directory: stateDirectory,
          older,
          denials,
          logger: createLogger({ service: 'test', level: 'silent' }),
          metrics,
          health,
          clock: clock.now,
          threads: createKeptThreads(freshThreads),
          onBug: error => bugs.push(error),
        },
      )
      await merger.start()
    },

    loseState: () => rmSync(stateDirectory, { recursive: true, force: true }),

    async settled() {
      const isSettled = async () => bugs.length > 0 || isDead || ((await backlog()) === 0 && busy === 0)
      await waitFor(isSettled, { what: 'everything to be merged', timeoutMs: 60_000, everyMs: 4 })
      if (bugs.length > 0) throw bugs[0]
    },

    metric: async (name, labels) => metricSum(await metrics.render(), name, labels),

    async [Symbol.asyncDispose]() {
      if (isOpen) await stop()
      await directory.remove()
    },
  }
}
