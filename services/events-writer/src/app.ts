// The events writer turns records on the log into rows.
import { createHash } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import { createLedger } from '@svc-server/conservation/ledger'
import { createDeadLetterCleaner } from '@svc-server/dead-letters/clean'
import { watchDeadLetters } from '@svc-server/dead-letters/watch'
import { createDenyList } from '@svc-server/deletions/deny-list'
import { keepsAll, rememberedIn, withRetentions } from '@svc-server/deletions/remembered'
import { createUpkeep } from '@svc-server/deletions/upkeep'
import { isAppError } from '@svc-server/errors'
import type { ThreadSource } from '@svc-server/fairness/worker-pool'
import type { Consumer, EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createOtherModes } from '@svc-server/modes/other-modes'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import { markDeleted } from '@svc-server/relational/deletions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { deadLetterForm } from '@svc-server/schema/dead-letter'
import { createStoreWatch, type Health } from '@svc-server/service/health'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { completenessPaths, createCompleteness } from '@svc-server/stream/completeness'
import { createDeadLetters } from '@svc-server/stream/dead-letter'
import { createRunner } from '@svc-server/stream/runner'
import { createExecutor, type Finished } from './deletions/executor.ts'
import { createFlagRows } from './deletions/flag-rows.ts'
import { createDeletableRows } from './deletions/rows.ts'
import { createStandingFlags } from './deletions/standing-flags.ts'
import { createDestinationsOf, type Destinations, topicsOf } from './destinations/destination.ts'
import { destinations as ours } from './destinations/index.ts'
import { createEncoderHost } from './encode/host.ts'
import { createIsolatingEncoder } from './encode/isolate.ts'
import { createEncoderLanes } from './encode/lanes.ts'
import { createWriterHealth } from './health.ts'
import { type TopicReader, watchLag } from './lag.ts'
import { createLedgerTopicRunner } from './ledger-topic.ts'
import { writerMetrics } from './metrics.ts'
import { createPipeline } from './pipeline.ts'
import { createLedgerEvents, createRecordEvents } from './runner-events.ts'
import type { WriterConfig } from './settings.ts'
import { watchUnaccounted } from './unaccounted.ts'

const heartbeatIntervalMs = 2_000
const deadLetterWindow = 100_000
/**
 * Topics of records that need not be readable within seconds: spans beyond their project's share, staged spans, entities, and counts of SDK
 * usage. For entities, there is a second reason: they can be expensive to encode.
 */
const backgroundTopics = [topicNames.overflow, topicNames.filled, topicNames.staging, topicNames.entities, topicNames.sdkUsage]

export interface WriterDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  /**
   * Returns the current models, prices and prompts. The writer calls this function once per chunk. Without this function, a row has only
   * the costs and the model id that the client sent, if any.
   */
  readonly catalog?: (() => CatalogSnapshot) | undefined
  /** Called, possibly twice, when no row of the deleted objects is stored any more. */
  readonly onDeleted?: ((finished: readonly Finished[]) => Promise<void>) | undefined
  /** The store that keeps deletions longer than the log does. */
  readonly relational?: Pick<RelationalStore, 'db' | 'exclusive'> | undefined
  readonly destinations?: Destinations
  readonly threads?: ThreadSource
  readonly logger: Logger
  readonly metrics: MetricRegistry
  readonly health: Health
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Default: 5 s. */
  readonly lagIntervalMs?: number | undefined
  /** Called for an unexpected error. Afterwards, the process must end. */
  readonly onBug: (error: unknown) => void
}

/** Settings that decide whether a record becomes a row or a dead letter. */
const rulesOf = ({ writeMode, brandAliases, maxRecordBytes, maxRowBytes, maxWork }: WriterConfig) => ({
  mode: writeMode,
  aliases: short(brandAliases.toSorted().join(' ')),
  limits: `${maxRecordBytes} ${maxRowBytes} ${maxWork}`,
})

/** Shortens a text for the intent, which must fit into 4 KiB. */
const short = (text: string) => (text.length <= 100 ? text : createHash('sha256').update(text).digest('hex'))

export function createEventsWriter(config: WriterConfig, deps: WriterDeps): Service {
  const { log, columnStore, clock, relational } = deps
  const logger = deps.logger.child({ component: 'events-writer' })
  const metrics = createMetrics(writerMetrics, deps.metrics)
  const group = groupNames.writer
  const { list: destinations, encoderScript } = deps.destinations ?? ours
  // The writer reads the topics of all write modes, because the log can contain records of every mode.
  const topics = [...new Set(destinations.flatMap(topicsOf))]

  const tables = destinations.map(({ table }) => table)
  const encoding = { ...config, logger, script: encoderScript, tables, threads: deps.threads }
  const encoder = createEncoderLanes(backgroundTopics, lane => createIsolatingEncoder(createEncoderHost({ ...encoding, ...lane }), logger))
  // A propagator that publishes filled spans also reports to the ledger topic.
  const readsLedger = topics.includes(topicNames.filled)
  const readers: readonly TopicReader[] = [
    { group, topics },
    ...(readsLedger ? [{ group: groupNames.ledger, topics: [topicNames.ledger] }] : []),
  ]
  const { storeSilenceMs } = config
  const stores = [
    createStoreWatch({ name: 'The column store', ask: () => columnStore.identify(), thresholdMs: storeSilenceMs }),
    createStoreWatch({ name: 'The event log', ask: () => log.lag(), thresholdMs: storeSilenceMs }),
  ]
  const deadLetterWatch = watchDeadLetters({ log, logger, metrics, intervalMs: config.deadLetterIntervalMs })
  const health = createWriterHealth({
    log,
    health: deps.health,
    logger,
    stores,
    detail: () => deadLetterWatch.detail,
    thresholdMs: config.progressThresholdMs,
  })
  metrics.halted.onScrape(() => metrics.halted.set(health.halted))
  const schedule = config.deletionSchedule
  const flags = createFlagRows(columnStore)
  const standingFlags = createStandingFlags({ flags, logger }, schedule?.standingMs)
  const remembered = relational && (() => rememberedIn(relational))
  const denyList = createDenyList({ log, logger, metrics, remembered, onCommand: standingFlags.take })
  const deadLetters = createDeadLetterCleaner({ log, denials: denyList, logger, clock, restMs: schedule?.deadLettersMs })
  const ledger = createLedger({ log, columnStore, group })
  const unaccounted = watchUnaccounted({
    log,
    columnStore,
    group,
    destinations,
    logger,
    metrics,
    intervalMs: config.ledgerAuditMs,
    share: config.auditShare,
    maxRecordBytes: config.maxRecordBytes,
    threads: deps.threads,
    writeMode: config.writeMode,
    denials: withRetentions(denyList, () => upkeep?.kept ?? keepsAll, clock),
    clock,
  })
  const otherModes = createOtherModes({
    ownMode: config.writeMode,
    now: clock,
    onBegin: mode => logger.info({ mode }, 'Storing records accepted in another write mode in that mode’s tables'),
    onEnd: (mode, records) => logger.info({ mode, records }, 'No record of another write mode has arrived for a minute'),
  })
  const completeness = createCompleteness()
  metrics.completeUntil.onScrape(() => {
    for (const path of completenessPaths) {
      const untilMs = completeness.until(path)
      if (untilMs !== undefined) metrics.completeUntil.set({ path }, untilMs / 1000)
    }
  })
  const lag = watchLag({
    log,
    readers,
    gauge: metrics.lagSeconds,
    observe(lags, askedAtMs, answeredAtMs) {
      health.observe(lags)
      completeness.observe(lags, askedAtMs, answeredAtMs)
      otherModes.check()
    },
    clock,
    intervalMs: deps.lagIntervalMs,
    lost: metrics.lostRecords,
    unread: metrics.unreadRecords,
    onUnread: health.unread,
    logger,
  })

  const createDeadLetterSink = () =>
    createDeadLetters({
      ...deadLetterForm,
      clock,
      limit: { windowItems: deadLetterWindow, minRejected: config.deadLetterMin, maxShare: config.deadLetterShare },
    })
  const events = { logger, metrics, health, clock, onBug: deps.onBug }
  const running = {
    log,
    backoff: { minMs: config.retryMinMs, maxMs: config.retryMaxMs, budgetMs: config.retryBudgetMs },
    pauseMs: config.pauseMs,
    haltedPauseMs: config.haltedPauseMs,
    heartbeatIntervalMs,
    clock,
  }

  const runner = createRunner({
    ...running,
    group,
    topics,
    fetch: { minBytes: config.fetchMinBytes, maxWaitMs: config.fetchMaxWaitMs, maxBatchBytes: config.fetchMaxBytes },
    concurrency: config.concurrency,
    background: backgroundTopics,
    limits: { maxRows: config.chunkMaxRows, maxBytes: config.chunkMaxBytes, maxWork: config.chunkMaxWork },
    ...createPipeline({
      log,
      columnStore,
      encoder,
      ledger,
      denyList,
      group,
      limits: config,
      destinations,
      destinationsOf: createDestinationsOf(destinations, config.writeMode),
      rules: rulesOf(config),
      catalog: deps.catalog,
      logger,
      metrics,
    }),
    deadLetters: createDeadLetterSink(),
    events: createRecordEvents({ ...events, group, otherModes }, partitions => {
      ledger.assigned(partitions)
      unaccounted.assigned(partitions)
    }),
  })
  const executor = createExecutor({
    log,
    rows: createDeletableRows(columnStore),
    flags,
    deadLetters,
    group,
    topics,
    logger,
    async onFinished(finished) {
      if (relational !== undefined) await markDeleted(instance(relational), finished, new Date(clock()))
      await deps.onDeleted?.(finished)
    },
    ...(schedule && { schedule }),
  })
  metrics.deletionsPending.onScrape(() => metrics.deletionsPending.set(executor.pending))
  metrics.deletionsAge.onScrape(() => metrics.deletionsAge.set(executor.oldestMs / 1000))
  let deletions: Consumer | null = null
  const upkeep = relational && createUpkeep({ relational, columnStore, append: log.append, writeMode: config.writeMode, logger, clock })
  const ledgerRunner = createLedgerTopicRunner({
    ...running,
    columnStore,
    maxWaitMs: config.fetchMaxWaitMs,
    deadLetters: createDeadLetterSink(),
    events: createLedgerEvents({ ...events, group: groupNames.ledger }),
  })

  /**
   * Called when the executor of deletions fails. A possible cause on the embedded log: a second writer process has taken over the
   * executor's group.
   */
  function onFatal(error: unknown): void {
    if (!isAppError(error)) return deps.onBug(error)
    logger.error({ err: error }, 'This process no longer executes deletions')
  }

  return {
    async start() {
      for (const store of stores) store.start()
      deadLetterWatch.start()
      lag.start()
      unaccounted.start()
      await denyList.start()
      if (topics.length > 0) await runner.start()
      if (readsLedger) await ledgerRunner.start()
      deletions = await log.own({ group: groupNames.deletions, topics: [topicNames.commands], work: executor.work, onFatal })
      upkeep?.start()
      standingFlags.start()
      deadLetters.start()
    },

    async drain() {
      // At the deadline, the writer abandons an unfinished insert and leaves its intent open. The next start looks up which rows were
      // stored.
      const grace = Promise.withResolvers<'late'>()
      const timer = setTimeout(grace.resolve, config.drainGraceMs, 'late')
      const outcome = await Promise.race([
        Promise.all([runner.drain(), ledgerRunner.drain(), deletions?.stop(), upkeep?.stop(), standingFlags.stop(), deadLetters.stop()]),
        grace.promise,
      ])
      clearTimeout(timer)
      if (outcome === 'late') logger.warn({ graceMs: config.drainGraceMs }, 'A chunk did not finish in time and stays open')
      deadLetterWatch.stop()
      lag.stop()
      for (const store of stores) store.stop()
      await unaccounted.stop()
      await denyList.stop()
      health.unregister()
      await encoder.stop()
    },
  }
}
