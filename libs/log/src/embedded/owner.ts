// An owner of the embedded log owns all partitions of its topics. For each partition, a loop calls `work` whenever the group has unread
// records.
import { isAppError } from '@svc-server/errors'
import { workOnce } from '../owned-partition.ts'
import type { OwnOptions } from '../port.ts'
import { assignedTo } from './assigned.ts'
import type { ConsumerDeps } from './consumer.ts'
import { createPartitionContext } from './context.ts'
import { createHalts, haltedMs } from './halts.ts'
import { createMembership, type OwnedConsumer } from './membership.ts'
import type { Partition } from './state.ts'
import { waitForChange } from './waiting.ts'

/** The loop pauses this long if the work committed nothing and requested no pause. */
const idleMs = 500

/** Calls `onEnd` once all work of the owner has ended. */
export function startOwner(
  deps: Omit<ConsumerDeps, 'store' | 'clock'>,
  options: OwnOptions,
  partitions: readonly Partition[],
  onEnd: () => void,
): OwnedConsumer {
  const { logger, commits } = deps
  const { group, work, onPartitionHalted } = options
  const member = createMembership(deps, options, partitions)
  const { signal, fail } = member
  const halts = createHalts(logger, group, onPartitionHalted)

  /** Calls the work once. Returns the pause of the partition after this call, in milliseconds. */
  const turn = async (partition: Partition): Promise<number> => {
    const before = member.position(partition)
    const outcome = await workOnce({
      group,
      topic: partition.topic.spec.name,
      partition: partition.partition,
      work,
      context: createPartitionContext(commits, group, partition, signal, member.isFenced, () => member.committed(partition)),
      isOver: () => signal.aborted,
      logger,
    })
    if (outcome.kind === 'pause') return outcome.afterMs
    return member.position(partition) === before ? idleMs : 0
  }

  const runPartition = async (partition: Partition): Promise<void> => {
    while (!signal.aborted) {
      if (member.position(partition) >= partition.numbers.high) {
        await waitForChange(partition.watchers, Number.POSITIVE_INFINITY, signal)
        continue
      }
      try {
        await waitForChange(new Set(), await turn(partition), signal)
      } catch (error) {
        if (!isAppError(error) || error.code !== 'log_corrupt' || !onPartitionHalted || signal.aborted) throw error
        halts.say(partition, error)
        // An operator who skips the damaged range ends this wait early.
        await waitForChange(partition.watchers, haltedMs, signal)
      }
    }
  }

  return member.run(async () => {
    await options.onAssigned?.(assignedTo(deps, group, partitions))
    await Promise.all(partitions.map(partition => runPartition(partition).catch(fail)))
  }, onEnd)
}
