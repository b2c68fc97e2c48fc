// An owner on the embedded log: it has every partition of its topics, and one loop per partition works
// whenever the group is behind.
import { AppError } from '@svc-server/errors'
import { workOnce } from '../owned-partition.ts'
import type { OwnOptions } from '../port.ts'
import { assignedTo } from './assigned.ts'
import type { ConsumerDeps, OwnedConsumer } from './consumer.ts'
import { createPartitionContext } from './context.ts'
import { createHalts, haltedMs } from './halts.ts'
import { offsetKey, type Partition } from './state.ts'
import { waitForChange } from './waiting.ts'

/** After a turn that committed nothing and asked for no pause. */
const idleMs = 500

/** Starts working. `onEnd` is called once nothing of the owner runs any more. */
export function startOwner(
  deps: Omit<ConsumerDeps, 'store' | 'clock'>,
  options: OwnOptions,
  partitions: readonly Partition[],
  onEnd: () => void,
): OwnedConsumer {
  const { state, logger, commits } = deps
  const { group, work, onPartitionHalted } = options
  const ending = new AbortController()
  const { signal } = ending
  const halts = createHalts(logger, group, onPartitionHalted)
  let fenced = false

  const committedOf = ({ topic, partition }: Partition) => state.offsets.get(offsetKey(group, topic.spec.name, partition))
  const starts = new Map(partitions.map(partition => [partition, partition.numbers.low]))
  const positionOf = (partition: Partition): number => committedOf(partition)?.offset ?? starts.get(partition)!

  const fail = (error: unknown): void => {
    if (signal.aborted) {
      logger.warn({ err: error, group }, 'An owner of partitions failed while it ended')
      return
    }
    ending.abort()
    options.onFatal(error)
  }

  /** How long the partition rests after it, in milliseconds. */
  const turn = async (partition: Partition): Promise<number> => {
    const before = positionOf(partition)
    const outcome = await workOnce({
      group,
      topic: partition.topic.spec.name,
      partition: partition.partition,
      work,
      context: createPartitionContext(
        commits,
        group,
        partition,
        signal,
        () => fenced,
        () => committedOf(partition),
      ),
      isOver: () => signal.aborted,
      logger,
    })
    if (outcome.kind === 'pause') return outcome.afterMs
    return positionOf(partition) === before ? idleMs : 0
  }

  const runPartition = async (partition: Partition): Promise<void> => {
    while (!signal.aborted) {
      if (positionOf(partition) >= partition.numbers.high) {
        await waitForChange(partition.watchers, Number.POSITIVE_INFINITY, signal)
        continue
      }
      try {
        await waitForChange(new Set(), await turn(partition), signal)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'log_corrupt' || !onPartitionHalted || signal.aborted) throw error
        halts.say(partition, error)
        // An operator who gives the range up calls the watchers.
        await waitForChange(partition.watchers, haltedMs, signal)
      }
    }
  }

  const running = (async () => {
    await options.onAssigned?.(assignedTo(deps, group, partitions))
    await Promise.all(partitions.map(partition => runPartition(partition).catch(fail)))
  })()
    .catch(fail)
    .finally(onEnd)

  return {
    fence() {
      fenced = true
      fail(new AppError('fenced', `Another consumer of group ${group} has taken over.`, { group }))
    },
    async stop() {
      ending.abort()
      await running
    },
  }
}
