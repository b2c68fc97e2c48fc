// Makes one attempt after another to run the chain of steps, until an attempt finishes the chain. An attempt ends early if another runner
// has the lease, if a store is down, or if a failed step waits for `retry-failed`.
import { type ChainEnd, runChain } from '@svc-server/backfill/chain'
import { findCutoff, settle } from '@svc-server/backfill/cutoff'
import { loadOf, requireHeadroom, spaceOf } from '@svc-server/backfill/load'
import { createPause } from '@svc-server/backfill/pause'
import { createSleep } from '@svc-server/backfill/sleep'
import { backfillStatus, missedInLegacy } from '@svc-server/backfill/status'
import { progressOf } from '@svc-server/backfill/step-progress'
import { paced } from '@svc-server/backfill/throttle'
import type { ColumnStore } from '@svc-server/column-store/port'
import { isAppError, isRetryable } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { isChainPaused, noteLegacy } from '@svc-server/relational/background-migrations'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import type { Dialect } from '@svc-server/schema/dialect'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import { type BackfillState, type backfillMetrics, backfillStates } from './metrics.ts'
import type { BackfillConfig } from './settings.ts'

export interface RunnerDeps {
  readonly config: BackfillConfig
  readonly relational: RelationalStore
  readonly columnStore: ColumnStore
  readonly log: EventLog
  readonly dialect: Dialect
  readonly owner: string
  readonly clock: () => number
  readonly logger: Logger
  readonly metrics: Metrics<typeof backfillMetrics>
  readonly onBug: (error: unknown) => void
}

/** Pause between two attempts. */
const pollMs = 15_000

export function createRunner(deps: RunnerDeps): Service {
  const { config, relational, columnStore, log, dialect, owner, clock, logger, metrics, onBug } = deps
  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let said = ''
  let hasToldMissed = false

  const sleep = createSleep(stop.signal)

  function show(state: BackfillState, sentence: string, level: 'info' | 'warn' | 'error' = 'info'): void {
    for (const each of backfillStates) metrics.state.set({ state: each }, each === state ? 1 : 0)
    metrics.failed.set(state === 'failed' ? 1 : 0)
    if (said === sentence) return
    said = sentence
    logger[level](sentence)
  }

  /**
   * Returns a new pause for each attempt. The length of a wait depends on the duration of the last chunk. The pause measures this duration
   * from the end of its previous wait. A pause must not be reused for the next attempt: the measured duration could then include the time
   * in which a failed step waited for an operator.
   */
  const newPause = () =>
    createPause({
      rowsPerSecond: config.rowsPerSecond,
      window: config.window,
      load: () => loadOf(columnStore, log),
      space: () => spaceOf(columnStore),
      isPaused: () => isChainPaused(instance(relational)),
      clock,
      sleep,
      isStopping: () => stop.signal.aborted,
      onWait: reason => (reason === null ? show('running', 'The backfill is running') : show('paused', `The backfill waits: ${reason}`)),
    })

  function showEnd(end: ChainEnd): void {
    switch (end.kind) {
      case 'finished':
        return show('finished', 'The backfill is finished')
      case 'gated':
        return show('waiting', `The backfill waits before ${end.step.name}, which its variables do not allow`)
      case 'failed':
        return show(
          'failed',
          `The backfill failed in ${end.step.name}: ${end.reason} (svc backfill retry-failed continues the failed step)`,
          'error',
        )
      case 'owned':
        return show('owned', `Another runner owns the backfill: ${end.by}`)
      case 'interrupted':
        if (end.error.code === 'draining') return
        return end.error.code === 'backfill_refused'
          ? show('refused', `The backfill waits: ${end.error.message}`, 'warn')
          : show('waiting', `The backfill was interrupted and continues: ${end.error.message}`, 'warn')
    }
  }

  /**
   * Reports that this process runs in legacy after the backfill has begun. Data that is accepted in legacy never reaches the events tables.
   * Neither the verification nor the audit would notice the missing data.
   */
  async function showLegacy(): Promise<void> {
    const [first] = await backfillStatus(relational, clock())
    if (first?.cutoff == null) {
      return show(
        'refused',
        'The backfill does not begin in write mode legacy, because data that is accepted after it has started would be missing. Switch to dual first',
        'warn',
      )
    }
    await noteLegacy(instance(relational), clock())
    const since = `The backfill has migrated the data from before ${first.cutoff}, but the write mode is legacy: data that is accepted now is missing from the events tables`
    show('refused', `${since}. Switch to dual, then run svc backfill again to migrate this data`, 'error')
  }

  /**
   * At the first call, logs which data the backfill does not copy. All further calls do nothing, so that the runner does not log the same
   * line at each try. If the last step of a chain is switched off, the runner tries the chain again and again.
   */
  async function tellMissed(): Promise<void> {
    if (hasToldMissed) return
    const missed = missedInLegacy(await backfillStatus(relational, clock()))
    if (missed !== null) logger.error(`${missed} Run svc backfill again to migrate it`)
    hasToldMissed = true
  }

  async function tryOnce(): Promise<boolean> {
    if (config.writeMode === 'legacy') {
      await showLegacy()
      return false
    }
    await tellMissed()
    let counted = new Map<string, number>()
    const end = await runChain({
      ...{ relational, columnStore, dialect, owner, sleep, pause: newPause() },
      limits: paced({ maxRows: config.maxRows, maxBytes: config.maxBytes }, config.rowsPerSecond),
      // If an operator sets a rate, each query uses only one processor, because the operator wants little load.
      threads: config.rowsPerSecond === null ? undefined : 1,
      isOpen: script => (script === 'dropPidTidSortingTables' ? config.dropScratch : config.isEnabled),
      findCutoff: async notBeforeMs => {
        const { state, says } = await requireHeadroom(columnStore)
        if (state === 'unknown') logger.warn(says)
        const { cutoffMs, dualSinceMs } = await findCutoff({ log, writeMode: config.writeMode, clock, sleep, notBeforeMs })
        logger.info({ cutoff: new Date(cutoffMs), dualSince: dualSinceMs === null ? null : new Date(dualSinceMs) }, 'The backfill starts')
        return cutoffMs
      },
      settle: beforeMs => settle({ log, writeMode: config.writeMode, clock, sleep }, beforeMs),
      onProgress: (step, state) => {
        const { name } = step
        const { rows, ratio } = progressOf(step, state)
        const before = counted.get(name)
        if (before !== undefined && rows > before) metrics.rows.inc({ step: name }, rows - before)
        counted = counted.set(name, rows)
        metrics.progress.set({ step: name }, ratio)
      },
      onFailure: ({ name }, chunk, error) => {
        metrics.chunkFailures.inc({ step: name })
        logger.warn({ err: error, chunk }, 'A backfill chunk failed and is retried')
      },
    })
    showEnd(end)
    return end.kind === 'finished'
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        if (await tryOnce()) return
      } catch (error) {
        if (!isAppError(error) || !isRetryable(error)) throw error
        show('waiting', `The backfill waits for its stores: ${error.message}`, 'warn')
      }
      await sleep(pollMs).catch(() => {})
    }
  }

  return {
    async start() {
      running = run().catch(onBug)
    },
    async drain() {
      stop.abort()
      await running
    },
  }
}
