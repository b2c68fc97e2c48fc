// Runs a propagator on a log with faults: refused commits, lost responses, empty reads and outdated responses.
import { AppError } from '@svc-server/errors'
import { freshThreads } from '@svc-server/fairness/worker-pool'
import type { CommittedOffset, OwnedPartition } from '@svc-server/log'
import type { EmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { createHealth, type Health } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import type { CommitFaults } from '@svc-server/testkit'
import { createKeptThreads, type ManualClock, metricSum } from '@svc-server/testkit'
import { createStagingPropagator, type StagingPropagator } from '../src/app.ts'
import type { PropagatorConfig } from '../src/settings.ts'

const logger = createLogger({ service: 'test', level: 'silent' })

interface Faults extends CommitFaults {
  beforeReading: () => Promise<unknown>
  /**
   * If this is not null, reads of spans.staging return no records. With `behind the end`, such a read also reports that the log ends at
   * the offset where the read begins.
   */
  hidesStaged: 'behind the end' | 'below the high watermark' | null
  /** If true, the next read of spans.staging returns no records, but reports the real end of the log. */
  hidesOnce: boolean
  /** The next `olderCommits` queries return an outdated commit of the group. */
  olderCommits: number
  /**
   * Chooses the outdated commit that a query for the group's commit returns. `count` is the number of choices, and the returned number is
   * less than `count`. If the number is 0, the query finds no commit. If the number is 1, the query returns the oldest commit. A higher
   * number stands for a later commit, but never for the newest.
   */
  pickOlder: (count: number) => number
}

export interface RunningPropagator {
  readonly service: StagingPropagator
  readonly health: Health
  readonly faults: Faults
  readonly bugs: readonly unknown[]
  /** True after a commit was refused or lost while `faults.deadly` was set. The test then goes on as if the process had died. */
  readonly isDead: boolean
  /** Number of partitions on which the propagator works at this moment. */
  readonly busy: number
  /** Number of completed calls of the work function. */
  readonly turns: number
  readonly reads: readonly { readonly partition: number; readonly from: number; readonly maxBytes: number }[]
  /** Adds up the metric's series. If `labels` is given, adds up only the series whose line contains this text. */
  metric(name: string, labels?: string): Promise<number>
}

export function createRunning(
  log: EmbeddedLog,
  directory: string,
  config: PropagatorConfig,
  { clock, monotonic }: { readonly clock: ManualClock; readonly monotonic: ManualClock },
): RunningPropagator {
  const metrics = createMetricRegistry({ runtime: false })
  const health = createHealth()
  const bugs: unknown[] = []
  const faults: Faults = {
    fate: () => 'done',
    beforeReading: async () => {},
    hidesStaged: null,
    hidesOnce: false,
    olderCommits: 0,
    pickOlder: () => 0,
    deadly: false,
  }
  let isDead = false
  let busy = 0
  let turns = 0
  const reads: { partition: number; from: number; maxBytes: number }[] = []
  const gone = () => new AppError('log_unavailable', 'The log did not answer.')

  const known = new Map<number, CommittedOffset[]>()
  const learn = (partition: number, commit: CommittedOffset) => known.set(partition, [...(known.get(partition) ?? []), commit])
  const asCommitted = (partition: number, truth: CommittedOffset | undefined): CommittedOffset | undefined => {
    const older = (known.get(partition) ?? []).slice(0, -1)
    if (faults.olderCommits === 0 || !known.has(partition)) return truth
    faults.olderCommits--
    return [undefined, ...older][faults.pickOlder(older.length + 1)]
  }

  const commitWith =
    (owned: OwnedPartition): OwnedPartition['commitWith'] =>
    async (offset, metadata, appends) => {
      const { partition } = owned
      const fate = isDead ? 'refused' : faults.fate(partition)
      if (fate !== 'done' && faults.deadly) isDead = true
      if (fate !== 'refused') await owned.commitWith(offset, metadata, appends)
      if (fate !== 'done') throw gone()
      learn(partition, { offset, metadata })
    }
  const unlessDead =
    <Args extends readonly unknown[], Result>(action: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      isDead ? Promise.reject(gone()) : action(...args)

  const faulty: EmbeddedLog = {
    ...log,
    read: unlessDead(async (topic, partition, from, maxBytes) => {
      if (topic === topicNames.staging) {
        reads.push({ partition, from, maxBytes })
        await faults.beforeReading()
      }
      const batch = await log.read(topic, partition, from, maxBytes)
      if (topic !== topicNames.staging || (faults.hidesStaged === null && !faults.hidesOnce)) return batch
      faults.hidesOnce = false
      return { ...batch, records: [], nextOffset: from, ...(faults.hidesStaged === 'behind the end' && { highWatermark: from }) }
    }),
    own: options =>
      log.own({
        ...options,
        onAssigned(partitions) {
          for (const { partition, committed } of partitions) if (committed) learn(partition, committed)
          return options.onAssigned!(partitions)
        },
        async work(owned) {
          const { topic, partition, signal } = owned
          busy++
          try {
            return await options.work({
              topic,
              partition,
              signal,
              get committed() {
                return asCommitted(partition, owned.committed)
              },
              commit: unlessDead(async (offset, metadata) => {
                await owned.commit(offset, metadata)
                learn(partition, { offset, metadata })
              }),
              commitWith: commitWith(owned),
            })
          } finally {
            busy--
            turns++
          }
        },
      }),
  }
  const service = createStagingPropagator(config, {
    log: faulty,
    directory,
    logger,
    metrics,
    health,
    clock: clock.now,
    monotonicNow: monotonic.now,
    threads: createKeptThreads(freshThreads),
    onBug: error => bugs.push(error),
  })
  return {
    service,
    health,
    faults,
    bugs,
    reads,
    get isDead() {
      return isDead
    },
    get busy() {
      return busy
    },
    get turns() {
      return turns
    },
    metric: async (name, labels) => metricSum(await metrics.render(), name, labels),
  }
}
