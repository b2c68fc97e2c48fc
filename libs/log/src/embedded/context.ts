// The context that a batch handler receives. The handler uses the context to commit an offset. The handler can append records
// atomically with the commit.
import { AppError } from '@svc-server/errors'
import type { CommittedOffset, NewRecord, PartitionContext } from '../port.ts'
import type { Partition } from './state.ts'

/** Maximum characters of commit metadata, as on Kafka brokers. */
export const maxMetadata = 4096

export interface CommitRequest {
  readonly group: string
  readonly partition: Partition
  readonly offset: number
  readonly metadata: string
  readonly appends: ReadonlyMap<string, readonly NewRecord[]>
  /** Throws when the commit is no longer allowed. */
  readonly guard: () => void
}

export type CommitPath = (request: CommitRequest) => Promise<void>

const noAppends: ReadonlyMap<string, readonly NewRecord[]> = new Map()

export interface BatchContext extends PartitionContext {
  /** Must be called when the handler has returned. Later calls to the context throw. */
  end(): void
}

export function createPartitionContext(
  commits: CommitPath,
  group: string,
  partition: Partition,
  signal: AbortSignal,
  isFenced: () => boolean,
  committed: () => CommittedOffset | undefined,
): BatchContext {
  let ended = false
  const guard = (): void => {
    if (!ended && !isFenced()) return
    const why = isFenced() ? `another consumer of group ${group} has taken over` : 'its batch handler has returned'
    throw new AppError('fenced', `${partition.topic.spec.name}/${partition.partition} cannot be committed: ${why}.`, {
      group,
      topic: partition.topic.spec.name,
      partition: partition.partition,
    })
  }
  const commitWith: PartitionContext['commitWith'] = async (offset, metadata, appends) => {
    guard()
    if (metadata.length > maxMetadata)
      throw new RangeError(`Commit metadata has ${metadata.length} characters; ${maxMetadata} are allowed.`)
    if (!Number.isSafeInteger(offset) || offset < 0) throw new RangeError(`Offset ${offset} cannot be committed.`)
    await commits({ group, partition, offset, metadata, appends, guard })
  }
  return {
    signal,
    get committed() {
      return committed()
    },
    commit: (offset, metadata) => commitWith(offset, metadata, noAppends),
    commitWith,
    heartbeat: async () => guard(),
    end: () => {
      ended = true
    },
  }
}
