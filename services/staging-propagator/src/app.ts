// The staging propagator groups staged spans into windows by the time when the log appended the spans. It adds the attributes of each
// span's trace to the span, and publishes the span (architecture §6).
import { createDenyList } from '@svc-server/deletions/deny-list'
import { deniedBy } from '@svc-server/deletions/read-denials'
import type { AppError } from '@svc-server/errors'
import type { ThreadSource } from '@svc-server/fairness/worker-pool'
import type { AssignedPartition, BatchOutcome, Consumer, EventLog, OwnedPartition, PartitionDescription } from '@svc-server/log'
import { expiredBefore } from '@svc-server/log/expired'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createOtherModes } from '@svc-server/modes/other-modes'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createFatalHandler, type FailedWork, outcomeOfFailure } from '@svc-server/owner/failed-work'
import { deadLetterForm } from '@svc-server/schema/dead-letter'
import type { Health } from '@svc-server/service/health'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { createDeadLetters } from '@svc-server/stream/dead-letter'
import { createPropagationHealth, type EventPropagationReport } from './health.ts'
import { propagatorMetrics } from './metrics.ts'
import { isDeleted } from './partition/deleted.ts'
import { createDeletedTraces } from './partition/deleted-traces.ts'
import { createStagingPartition, type StagingPartition } from './partition/staging-partition.ts'
import { createTraceReaders } from './reading/pool.ts'
import type { PropagatorConfig } from './settings.ts'
import { openTraceState, type TraceState } from './state/index.ts'
import { createSchedule } from './windows/schedule.ts'

const deadLetterWindow = 100_000
const gaugesMs = 1_000

export interface PropagatorDeps {
  readonly log: EventLog
  /** Directory of the local state, which can be rebuilt from the log. */
  readonly directory: string
  readonly logger: Logger
  readonly metrics: MetricRegistry
  readonly health: Health
  /** Returns milliseconds since the epoch. The propagator's windows use the log's time and the monotonic clock instead. */
  readonly clock: () => number
  /** Returns milliseconds since an arbitrary start. Without this function, the propagator uses the process's monotonic clock. */
  readonly monotonicNow?: () => number
  /** If absent, the propagator creates its own threads. */
  readonly threads?: ThreadSource | undefined
  /** Called for an unexpected error, after which the process must exit. */
  readonly onBug: (error: unknown) => void
}

export interface StagingPropagator extends Service {
  readonly name: string
  report(): Promise<EventPropagationReport>
}

export function createStagingPropagator(config: PropagatorConfig, deps: PropagatorDeps): StagingPropagator {
  const { log, clock, directory, monotonicNow = () => performance.now() } = deps
  const logger = deps.logger.child({ component: 'staging-propagator' })
  const metrics = createMetrics(propagatorMetrics, deps.metrics)
  const deletedTraces = createDeletedTraces({ monotonicNow, keptMs: config.retentionMs })
  const denyList = createDenyList({
    ...{ log, logger, metrics },
    onCommand(command) {
      const denied = deniedBy(command)
      // A deletion older than the retention needs no work here, because the local state contains no trace older than the retention.
      if (denied !== null && clock() - command.acceptedAtMs <= config.retentionMs) deletedTraces.add(denied)
    },
  })
  const readers = createTraceReaders({
    threads: config.threads,
    maxRecordBytes: config.maxRecordBytes,
    maxRowBytes: config.maxRowBytes,
    maxWork: config.maxWork,
    brandAliases: config.brandAliases,
    source: deps.threads,
  })
  const health = createPropagationHealth({
    log,
    health: deps.health,
    windowMs: config.windowMs,
    stuckThresholdMs: config.stuckThresholdMs,
    storeSilenceMs: config.storeSilenceMs,
    lagSeconds: metrics.lagSeconds,
    logger,
    clock,
    monotonicNow,
  })
  const deadLetters = createDeadLetters({
    ...deadLetterForm,
    clock,
    limit: { windowItems: deadLetterWindow, minRejected: config.deadLetterMin, maxShare: config.deadLetterShare },
  })

  const otherModes = createOtherModes({
    ownMode: config.writeMode,
    now: monotonicNow,
    onBegin: mode => logger.info({ mode }, 'Forwarding spans accepted in another write mode to the tables of that mode'),
    onEnd: (mode, records) => logger.info({ mode, records }, 'No record of another write mode has arrived for a minute'),
  })
  function onMode(mode: WriteMode | null, records: number): void {
    const others = otherModes.seen(mode, records)
    if (others > 0) metrics.otherModeRecords.inc({ mode: mode! }, others)
  }

  let state: TraceState | null = null
  let owner: Consumer | null = null
  let owned = new Map<number, StagingPartition>()
  let gauges: NodeJS.Timeout | undefined

  async function partitionsOf(topic: string): Promise<readonly PartitionDescription[]> {
    const described = await log.describe()
    return described.find(({ spec }) => spec.name === topic)!.partitions
  }

  async function assign(partitions: readonly AssignedPartition[], opened: TraceState): Promise<void> {
    const staged = partitions.filter(({ topic }) => topic === topicNames.staging)
    // The changelog has as many partitions as spans.staging. The propagator looks up the number of partitions here, because `assign` is
    // retried after a failure. If the lookup ran at the start of the process, a failure would end the process.
    const changelog = staged.length > 0 ? await partitionsOf(topicNames.traceAttributes) : []
    const count = changelog.length
    owned = new Map(
      staged.map(assigned => {
        const { partition } = assigned
        const schedule = createSchedule({ windowMs: config.windowMs, graceMs: config.graceMs, partition, partitions: count, monotonicNow })
        // Traces spread evenly over the partitions. Each partition therefore gets an equal part of the project's limit.
        const own = { ...config, maxProjectTraces: Math.ceil(config.maxProjectTraces / count) }
        const { progress: onProgress } = health
        const made = createStagingPartition(
          {
            ...{
              partition,
              log,
              state: opened,
              read: readers.read,
              readLinks: readers.links,
              schedule,
              deadLetters,
              config: own,
              metrics,
              monotonicNow,
            },
            ...{ onProgress, onMode, isDeleted: key => isDeleted(denyList, key), deletedTraces },
          },
          { ...assigned, changelogEnd: changelog[partition]!.highWatermark },
        )
        return [partition, made]
      }),
    )
    health.assigned(staged)
    for (const at of staged) metrics.expiredRecords.inc({ partition: at.partition }, expiredBefore(at))
  }

  async function work(at: OwnedPartition): Promise<BatchOutcome> {
    try {
      return await owned.get(at.partition)!.work(at)
    } catch (error) {
      return outcomeOfFailure(at, error, failedWork)
    }
  }

  const failedWork: FailedWork = {
    haltedPauseMs: config.haltedPauseMs,
    onFenced({ partition }) {
      metrics.fenced.inc()
      logger.info({ partition }, 'Another process owns the partition: this process drops its open window')
    },
    onHalted: onPartitionHalted,
    onRest({ partition }, error) {
      metrics.retries.inc({ code: error.code })
      logger.warn({ partition, err: error, help: error.operatorHelp }, 'A partition pauses; its records are still on the log')
    },
  }

  function onPartitionHalted({ partition }: { readonly partition: number }, error: AppError): void {
    const { help } = error.definition
    health.halt(partition, error.probeText)
    logger.error({ partition, err: error, help }, 'A partition has halted: its staged spans wait on the log until a retry succeeds')
  }

  const onFatal = createFatalHandler({ service: 'propagator', waiting: 'staged spans', health, logger, onBug: deps.onBug })

  metrics.halted.onScrape(() => metrics.halted.set(health.halted))
  // The metric covers only the partitions that this process owns now. For partitions that it no longer owns, its numbers could be outdated.
  metrics.pendingRepairs.onScrape(() => {
    for (const [partition, { pendingRepairs }] of owned) metrics.pendingRepairs.set({ partition }, pendingRepairs)
  })

  function refreshGauges(): void {
    otherModes.check()
    const opened = [...owned.values()].flatMap(({ openSince }) => (openSince === null ? [] : [openSince]))
    metrics.openWindows.set(opened.length)
    metrics.oldestWindowAgeSeconds.set(
      opened.length === 0 ? 0 : (monotonicNow() - opened.reduce((least, at) => Math.min(least, at))) / 1000,
    )
  }

  return {
    name: 'staging-propagator',
    report: health.report,

    async start() {
      await denyList.start()
      const opened = await openTraceState({ directory, log, logger, retentionMs: config.retentionMs })
      state = opened
      health.start()
      gauges = setInterval(refreshGauges, gaugesMs)
      gauges.unref()
      owner = await log.own({
        group: groupNames.propagator,
        topics: [topicNames.staging],
        onAssigned: partitions => assign(partitions, opened),
        work,
        onPartitionHalted,
        onFatal,
      })
    },

    async drain() {
      clearInterval(gauges)
      await owner?.stop()
      health.stop()
      await readers.stop()
      await state?.close()
      await denyList.stop()
    },
  }
}
