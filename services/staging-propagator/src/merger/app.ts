// The merger: events of the legacy API, and what spans say about their traces, to merged traces and observations (architecture §6). Wiring only; nothing happens
// before start().
import { type AppError, isAppError } from '@svc-server/errors'
import type { AssignedPartition, BatchOutcome, Consumer, EventLog, OwnedPartition } from '@svc-server/log'
import { topicsOf } from '@svc-server/modes/flows'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { createBrandNames } from '@svc-server/schema/brand'
import { deadLetterForm } from '@svc-server/schema/dead-letter'
import { type Health, healthy, unhealthy } from '@svc-server/service/health'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { createDeadLetters } from '@svc-server/stream/dead-letter'
import { type FailedWork, outcomeOfFailure } from '../failed-work.ts'
import { createEntityPartition, type EntityPartition, type EntityPartitionConfig } from './entity-partition.ts'
import { mergerMetrics } from './metrics.ts'
import type { OlderRows } from './older-rows.ts'
import { createPartsReaders, type PartsReadersOptions } from './reading/pool.ts'
import { createSpanPartition, type SpanPartition } from './span-partition.ts'
import { type EntityState, openEntityState } from './state/entity-state.ts'

export interface MergerConfig extends EntityPartitionConfig, PartsReadersOptions {
  readonly deadLetterMin: number
  readonly deadLetterShare: number
  /** How long a partition rests that only an operator can mend. */
  readonly haltedPauseMs: number
  readonly retentionMs: number
}

export interface MergerDeps {
  readonly log: EventLog
  /** Of the local state. It may be lost: it is rebuilt from the log. */
  readonly directory: string
  readonly older: OlderRows
  readonly logger: Logger
  readonly metrics: MetricRegistry
  readonly health: Health
  /** Milliseconds since the epoch: for dead letters. */
  readonly clock: () => number
  /** Something was thrown that nobody expected: the process must end. */
  readonly onBug: (error: unknown) => void
}

const deadLetterWindow = 100_000
const entityTopics: ReadonlySet<string> = new Set([topicNames.ingestion, topicNames.traceParts])
const placeOf = ({ topic, partition }: { readonly topic: string; readonly partition: number }) => `${topic}/${partition}`

export function createMerger(config: MergerConfig, deps: MergerDeps): Service & { readonly name: string } {
  const { log, older, directory, clock } = deps
  const logger = deps.logger.child({ component: 'merger' })
  const metrics = createMetrics(mergerMetrics, deps.metrics)
  const readers = createPartsReaders(config)
  const environments = createEnvironmentNames(createBrandNames(config.brandAliases))
  const deadLetters = createDeadLetters({
    ...deadLetterForm,
    clock,
    limit: { windowItems: deadLetterWindow, minRejected: config.deadLetterMin, maxShare: config.deadLetterShare },
  })
  const halted = new Map<string, string>()
  let ended: string | null = null
  let state: EntityState | null = null
  let owner: Consumer | null = null
  let owned = new Map<string, EntityPartition | SpanPartition>()
  let unregister = () => {}

  async function assign(assigned: readonly AssignedPartition[], opened: EntityState): Promise<void> {
    const ends = (await log.describe()).find(({ spec }) => spec.name === topicNames.entities)!.partitions
    const next = new Map<string, EntityPartition | SpanPartition>()
    const inputs = Map.groupBy(
      assigned.filter(({ topic }) => entityTopics.has(topic)),
      ({ partition }) => partition,
    )
    for (const [partition, each] of inputs) {
      const changelogEnd = ends[partition]!.highWatermark
      const made = createEntityPartition(
        { partition, log, state: opened, older, deadLetters, environments, metrics, config, changelogEnd },
        each,
      )
      for (const input of each) next.set(placeOf(input), made)
    }
    for (const at of assigned) {
      if (!entityTopics.has(at.topic))
        next.set(placeOf(at), createSpanPartition({ log, readers, metrics, readBytes: config.readBytes }, at))
    }
    owned = next
    halted.clear()
  }

  async function work(at: OwnedPartition): Promise<BatchOutcome> {
    try {
      const outcome = await owned.get(placeOf(at))!.work(at)
      halted.delete(placeOf(at))
      return outcome
    } catch (error) {
      return outcomeOfFailure(at, error, failedWork)
    }
  }

  const failedWork: FailedWork = {
    haltedPauseMs: config.haltedPauseMs,
    onFenced() {},
    onHalted: onPartitionHalted,
    onRest(at, error) {
      metrics.retries.inc({ code: error.code })
      logger.warn({ at: placeOf(at), err: error, help: error.definition.help }, 'A partition rests: what it read is still on the log')
    },
  }

  function onPartitionHalted(at: { readonly topic: string; readonly partition: number }, error: AppError): void {
    const { help } = error.definition
    halted.set(placeOf(at), `${placeOf(at)}: ${error.message} ${help}`)
    logger.error({ at: placeOf(at), err: error, help }, 'A partition has halted: its events wait on the log, and it is tried again')
  }

  function onFatal(cause: unknown): void {
    if (!isAppError(cause)) {
      ended = 'the merger stopped on a defect'
      logger.fatal({ err: cause }, 'The merger stopped on a defect')
      deps.onBug(cause)
      return
    }
    ended = `${cause.message} ${cause.definition.help}`
    logger.error({ err: cause, help: cause.definition.help }, 'The merger has ended: events wait on the log until this is mended')
  }

  metrics.halted.onScrape(() => metrics.halted.set(halted.size))

  return {
    name: 'merger',

    async start() {
      const opened = await openEntityState({ directory, log, logger, retentionMs: config.retentionMs })
      state = opened
      unregister = deps.health.register({
        name: 'merger',
        probe: 'ready',
        check: () => ((ended ?? halted.values().next().value) ? unhealthy(ended ?? [...halted.values()].join(' ')) : healthy),
      })
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
      await owner?.stop()
      unregister()
      await readers.stop()
      await state?.close()
    },
  }
}
