// A consumer of the embedded log owns every partition of its topics. One loop per partition waits until a batch is due, reads the batch,
// and calls the handler.
import { AppError, definitionOf, isRetryable } from '@svc-server/errors'
import type { BatchOutcome, ConsumeOptions, FetchedBatch } from '../port.ts'
import { assignedTo } from './assigned.ts'
import { type CommitPath, createPartitionContext } from './context.ts'
import { fetchBatch, measure, outOfRange } from './fetch.ts'
import { createHalts, haltedMs } from './halts.ts'
import type { Logger } from './logger.ts'
import { createMembership, type OwnedConsumer } from './membership.ts'
import type { Partition, State } from './state.ts'
import type { Store } from './store.ts'
import { createPlaces, waitForChange } from './waiting.ts'

export interface ConsumerDeps {
  readonly store: Store
  readonly state: State
  readonly commits: CommitPath
  readonly clock: () => number
  readonly logger: Logger
}

/** Calls `onEnd` once all work of the consumer has ended. */
export function startConsumer(
  deps: ConsumerDeps,
  options: ConsumeOptions,
  partitions: readonly Partition[],
  onEnd: () => void,
): OwnedConsumer {
  const { store, clock, logger } = deps
  const { group, minBytes, maxWaitMs, maxBatchBytes } = options
  const enough = Math.min(minBytes, maxBatchBytes)
  const member = createMembership(deps, options, partitions)
  const { signal, fail } = member
  const places = createPlaces(options)
  const until = new Map<Partition, number>()
  const halts = createHalts(logger, group, options.onPartitionHalted)
  /** Resolves when a batch is due: enough bytes are available, or the maximum wait is over. Also resolves when the consumer ends. */
  const due = async (partition: Partition, position: number, notBefore: number): Promise<void> => {
    let bytes = 0
    let scannedTo = position
    let deadline: number | undefined
    while (!signal.aborted) {
      const { high } = partition.numbers
      if (position < high) {
        const found = await measure(store, partition, scannedTo, enough - bytes)
        bytes += found.bytes
        scannedTo = found.scannedTo
        // The wait counts from the append time of the oldest record. If this record is older than `maxWaitMs`, as in a backlog, the wait is
        // therefore already over, and the consumer delivers the records immediately.
        const age = found.oldestMs === undefined ? 0 : Math.max(0, clock() - found.oldestMs)
        deadline ??= performance.now() + Math.max(0, maxWaitMs - age)
      }
      const now = performance.now()
      const wakeAt = Math.max(notBefore, bytes >= enough ? now : (deadline ?? Number.POSITIVE_INFINITY))
      if (wakeAt <= now) return
      // If records arrived during the measurement, the watchers were already called, so the loop measures again without a wait.
      if (partition.numbers.high === high) await waitForChange(partition.watchers, wakeAt - now, signal)
    }
  }

  /** Calls the handler. Returns how long the partition then pauses, in milliseconds. */
  const deliver = async (partition: Partition, position: number, batch: FetchedBatch): Promise<number> => {
    const context = createPartitionContext(deps.commits, group, partition, signal, member.isFenced, () => member.committed(partition))
    let outcome: BatchOutcome
    try {
      outcome = await options.onBatch(batch, context)
    } catch (error) {
      if (signal.aborted || !isRetryable(error)) throw error
      const afterMs = definitionOf(error).retryAfterMs?.[0] ?? 1000
      logger.warn(
        { err: error, group, topic: batch.topic, partition: batch.partition, afterMs },
        'a batch failed temporarily and is delivered again',
      )
      outcome = { kind: 'pause', afterMs }
    } finally {
      context.end()
    }
    if (outcome.kind === 'pause') return outcome.afterMs
    // If the handler committed nothing, a pause avoids a busy loop.
    return member.position(partition) === position ? maxWaitMs : 0
  }

  const runPartition = async (partition: Partition): Promise<void> => {
    let mustReach = until.get(partition) ?? 0
    let notBefore = 0
    let halted = false
    while (!signal.aborted) {
      // An operator who skips the damaged range ends this wait early.
      if (halted) await waitForChange(partition.watchers, haltedMs, signal)
      halted = false
      const position = member.position(partition)
      const reach = mustReach > position ? mustReach : undefined
      if (reach === undefined) await due(partition, position, notBefore)
      else await waitForChange(new Set(), notBefore - performance.now(), signal)

      const leave = await places.enter(partition.topic.spec.name)
      try {
        if (signal.aborted) return
        const batch = await fetchBatch(store, partition, position, maxBatchBytes, reach)
        if (signal.aborted) return
        // A retry must contain the same records, so the end of an uncommitted batch must not change.
        mustReach = batch.nextOffset
        notBefore = performance.now() + (await deliver(partition, position, batch))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'offset_out_of_range') throw outOfRange(partition, position, group)
        if (error.code !== 'log_corrupt' || !options.onPartitionHalted || signal.aborted) throw error
        halts.say(partition, error)
        halted = true
      } finally {
        leave()
      }
    }
  }

  const assign = async (): Promise<void> => {
    const assigned = assignedTo(deps, group, partitions)
    for (const open of (await options.onAssigned?.(assigned)) ?? []) {
      const partition = partitions.find(({ topic, partition }) => topic.spec.name === open.topic && partition === open.partition)
      if (!partition) throw new Error(`onAssigned named ${open.topic}/${open.partition}, which is not assigned.`)
      if (open.until > partition.numbers.high) throw outOfRange(partition, open.until, group)
      until.set(partition, open.until)
    }
  }

  return member.run(async () => {
    await assign()
    await Promise.all(partitions.map(partition => runPartition(partition).catch(fail)))
  }, onEnd)
}
