// The merger builds traces and observations from two inputs: the events of the legacy API, and the trace attributes of spans (architecture
// §6).
import type { Denials } from '@svc-server/deletions/denials'
import type { AppError } from '@svc-server/errors'
import type { ThreadSource } from '@svc-server/fairness/worker-pool'
import type { AssignedPartition, BatchOutcome, Consumer, EventLog, OwnedPartition } from '@svc-server/log'
import { expiredBefore } from '@svc-server/log/expired'
import { topicsOf } from '@svc-server/modes/flows'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createOtherModes } from '@svc-server/modes/other-modes'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { createFatalHandler, type FailedWork, outcomeOfFailure } from '@svc-server/owner/failed-work'
import { createOwnerHealth, type PartitionId } from '@svc-server/owner/health'
import { createBrandNames } from '@svc-server/schema/brand'
import { deadLetterForm } from '@svc-server/schema/dead-letter'
import type { Health } from '@svc-server/service/health'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { createDeadLetters } from '@svc-server/stream/dead-letter'
import { type CommandPartition, createCommandPartition } from './command-partition.ts'
import { createMergerDenials } from './denied.ts'
import { createEntityPartition, type EntityPartition, type EntityPartitionConfig } from './entity-partition.ts'
import { mergerMetrics } from './metrics.ts'
import type { OlderRows } from './older-rows.ts'
import { createPartsReaders, type PartsReadersOptions } from './reading/pool.ts'
import { createSpanPartition, type SpanPartition } from './span-partition.ts'
import { type EntityState, openEntityState } from './state/entity-state.ts'

export interface MergerConfig extends EntityPartitionConfig, Omit<PartsReadersOptions, 'maxPartBytes'> {
  /** How long a span partition pauses after a call of `work` that has only skipped records. The pause saves reads and commits. */
  readonly passedRestMs: number
  readonly deadLetterMin: number
  readonly deadLetterShare: number
  /** Pause before a halted partition is retried. */
  readonly haltedPauseMs: number
  readonly retentionMs: number
  /** The health check reports a partition as stuck if its records wait for this long without a commit. */
  readonly stuckThresholdMs: number
  /** Readiness turns red when a store has not responded for this long. */
  readonly storeSilenceMs: number
}

export interface MergerDeps {
  readonly log: EventLog
  /** Local state, which the merger can rebuild from the log. */
  readonly directory: string
  readonly older: OlderRows
  readonly denials: Denials
  readonly logger: Logger
  readonly metrics: MetricRegistry
  readonly health: Health
  /** Returns milliseconds since the epoch. Dead letters contain this time. */
  readonly clock: () => number
  /** Returns milliseconds since an arbitrary start. Without this function, the merger uses the process's monotonic clock. */
  readonly monotonicNow?: () => number
  /** Threads that read spans. */
  readonly threads?: ThreadSource | undefined
  /** Called for an unexpected error. Afterwards, the process must exit. */
  readonly onBug: (error: unknown) => void
}

type Owned = EntityPartition | SpanPartition | CommandPartition

const deadLetterWindow = 100_000
const otherModesMs = 5_000
const entityTopics: ReadonlySet<string> = new Set([topicNames.ingestion, topicNames.traceParts])
const placeOf = ({ topic, partition }: PartitionId) => `${topic}/${partition}`

export function createMerger(config: MergerConfig, deps: MergerDeps): Service & { readonly name: string } {
  const { log, older, directory, clock, monotonicNow = () => performance.now() } = deps
  const logger = deps.logger.child({ component: 'merger' })
  const metrics = createMetrics(mergerMetrics, deps.metrics)
  const denials = createMergerDenials(deps.denials)
  const turns = { isTaken: false }
  const readers = createPartsReaders({ ...config, maxPartBytes: config.maxEntityBytes, source: deps.threads })
  const environments = createEnvironmentNames(createBrandNames(config.brandAliases))
  const deadLetters = createDeadLetters({
    ...deadLetterForm,
    clock,
    limit: { windowItems: deadLetterWindow, minRejected: config.deadLetterMin, maxShare: config.deadLetterShare },
  })
  const health = createOwnerHealth({
    ...{ name: 'merger', group: groupNames.merger, log, logger, monotonicNow },
    health: deps.health,
    thresholdMs: config.stuckThresholdMs,
    storeSilenceMs: config.storeSilenceMs,
  })
  const otherModes = createOtherModes({
    ownMode: config.writeMode,
    now: monotonicNow,
    onBegin: mode => logger.info({ mode }, 'Merging records accepted in another write mode for that mode’s tables'),
    onEnd: (mode, records) => logger.info({ mode, records }, 'No record of another write mode has arrived for a minute'),
  })
  function onMode(mode: WriteMode, records: number): void {
    const others = otherModes.seen(mode, records)
    if (others > 0) metrics.otherModeRecords.inc({ mode }, others)
  }

  let state: EntityState | null = null
  let owner: Consumer | null = null
  let owned: ReadonlyMap<string, Owned> = new Map()
  let timer: NodeJS.Timeout | undefined

  async function assign(assigned: readonly AssignedPartition[], opened: EntityState): Promise<void> {
    const ends = (await log.describe()).find(({ spec }) => spec.name === topicNames.entities)!.partitions
    const next = new Map<string, Owned>()
    const inputs = Map.groupBy(
      assigned.filter(({ topic }) => entityTopics.has(topic)),
      ({ partition }) => partition,
    )
    const tell = { metrics, onMode, onProgress: health.progress }
    for (const [partition, each] of inputs) {
      const changelogEnd = ends[partition]!.highWatermark
      const made = createEntityPartition(
        { ...tell, ...{ partition, log, state: opened, older, denials, turns, deadLetters, environments, config, changelogEnd } },
        each,
      )
      for (const input of each) next.set(placeOf(input), made)
    }
    for (const at of assigned) {
      if (at.topic === topicNames.commands) next.set(placeOf(at), createCommandPartition({ ...tell, log, config, owners: ends.length }, at))
      else if (!entityTopics.has(at.topic)) next.set(placeOf(at), createSpanPartition({ ...tell, log, readers, config }, at))
    }
    owned = next
    health.assigned(assigned)
    for (const at of assigned) metrics.expiredRecords.inc({ topic: at.topic, partition: at.partition }, expiredBefore(at))
  }

  async function work(at: OwnedPartition): Promise<BatchOutcome> {
    try {
      return await owned.get(placeOf(at))!.work(at)
    } catch (error) {
      return outcomeOfFailure(at, error, failedWork)
    }
  }

  const failedWork: FailedWork = {
    haltedPauseMs: config.haltedPauseMs,
    onFenced(at) {
      metrics.fenced.inc()
      logger.info({ at: placeOf(at) }, 'Another process owns the partition')
    },
    onHalted: onPartitionHalted,
    onRest(at, error) {
      const { help } = error.definition
      metrics.retries.inc({ code: error.code })
      health.rest(at, error.probeText)
      logger.warn({ at: placeOf(at), err: error, help }, 'A partition pauses; its records are still on the log')
    },
  }

  function onPartitionHalted(at: PartitionId, error: AppError): void {
    const { help } = error.definition
    health.halt(at, error.probeText)
    logger.error({ at: placeOf(at), err: error, help }, 'A partition has halted: its events wait on the log until a retry succeeds')
  }

  const onFatal = createFatalHandler({ service: 'merger', waiting: 'events', health, logger, onBug: deps.onBug })

  metrics.halted.onScrape(() => metrics.halted.set(health.halted))
  metrics.lagSeconds.onScrape(() => {
    for (const [{ topic, partition }, seconds] of health.lags()) metrics.lagSeconds.set({ topic, partition }, seconds)
  })

  return {
    name: 'merger',

    async start() {
      const opened = await openEntityState({ directory, log, logger, retentionMs: config.retentionMs })
      state = opened
      health.start()
      timer = setInterval(otherModes.check, otherModesMs)
      timer.unref()
      owner = await log.own({
        group: groupNames.merger,
        topics: topicsOf(groupNames.merger),
        onAssigned: partitions => assign(partitions, opened),
        work,
        onPartitionHalted,
        onFatal,
      })
    },

    async drain() {
      clearInterval(timer)
      await owner?.stop()
      health.stop()
      await readers.stop()
      await state?.close()
    },
  }
}
