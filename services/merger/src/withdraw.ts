// Deletes the entities of deleted traces and projects from the local state of a partition. The state has no index by trace, so the owner
// walks over all entities. The walk has short slices, and merging continues between them. If a commit passes the offset of the deletion
// before the walk ends, the commit appends the deletion to `trace.parts` again. If the partition gets a new owner before the walk ends, the
// new owner therefore reads the deletion, and also walks over all entities.
import type { Denied } from '@svc-server/deletions/denials'
import type { LogRecord, NewRecord } from '@svc-server/log'
import { createYields } from '@svc-server/owner/yields'
import { deletionsIn, type MergerDenials, withdrawalOfStored } from './denied.ts'
import type { EntityState } from './state/entity-state.ts'

export interface WithdrawalSlices {
  readonly idsAtATime: number
  /** After this time, a walk gives its slot to another partition. */
  readonly sliceMs: number
}

export const defaultSlices: WithdrawalSlices = { idsAtATime: 512, sliceMs: 40 }
/** Maximum number of records in one transaction. */
const maxRecords = 2_000
/**
 * The owner remembers this many completed deletions. If a forgotten deletion arrives again, the owner walks over all entities of the
 * partition again.
 */
const maxRemembered = 10_000

/** Shared by the partitions of a process. At most one partition at a time walks over its entities, so that the others can merge. */
export interface WalkTurns {
  isTaken: boolean
}

export interface Withdrawals {
  readonly isPending: boolean
  /** Adds deletions. Returns all pending deletions in order of arrival. */
  learn(records: readonly LogRecord[]): readonly LogRecord[]
  /** Walks over the next slice of this partition's entities. If a different partition is walking, does nothing and returns false. */
  slice(signal: AbortSignal, commit: (records: readonly NewRecord[]) => Promise<void>): Promise<boolean>
}

export interface WithdrawalDeps {
  readonly state: EntityState
  readonly partition: number
  readonly denials: MergerDenials
  readonly turns: WalkTurns
  readonly slices: WithdrawalSlices
}

export function createWithdrawals({ state, partition, denials, turns, slices }: WithdrawalDeps): Withdrawals {
  const numbers = new Map<string, number>()
  let told = 0
  /** Deletions are numbered in order of arrival. For deletions up to the number `withdrawn`, the walk over all entities is complete. */
  let withdrawn = 0
  let walk: { readonly upTo: number; readonly after: Buffer | null } | null = null

  function numberOf(denied: Denied): number {
    const key = JSON.stringify([denied.projectId, denied.traceId])
    const known = numbers.get(key)
    if (known !== undefined) return known
    denials.learn(denied)
    told += 1
    numbers.set(key, told)
    return told
  }

  function forget(): void {
    for (const [key, number] of numbers) {
      if (numbers.size <= maxRemembered || number > withdrawn) return
      numbers.delete(key)
    }
  }

  async function find(after: Buffer | null, signal: AbortSignal) {
    const yields = createYields(8)
    const records: NewRecord[] = []
    const untilMs = performance.now() + slices.sliceMs
    for (let last = after; ; ) {
      const ids = state.idsAfter(partition, last, slices.idsAtATime)
      for (const id of ids) {
        if (yields.isDue()) await yields.take()
        const record = state.byId(partition, id)
        const withdrawal = record === null ? null : withdrawalOfStored(record, denials, partition)
        if (withdrawal !== null) records.push(withdrawal)
      }
      const isEnd = ids.length < slices.idsAtATime
      last = ids.at(-1) ?? last
      if (isEnd || signal.aborted || records.length >= maxRecords || performance.now() >= untilMs) return { records, after: last, isEnd }
    }
  }

  return {
    get isPending() {
      return withdrawn < told
    },

    learn: records =>
      deletionsIn(records)
        .map(({ record, ...denied }) => ({ record, number: numberOf(denied) }))
        .filter(({ number }) => number > withdrawn)
        .sort((a, b) => a.number - b.number)
        .map(({ record }) => record),

    async slice(signal, commit) {
      if (turns.isTaken) return false
      turns.isTaken = true
      try {
        // The walk completes only the deletions that arrived before the walk began. A deletion that arrives later needs another walk,
        // because the current walk may already have passed some of the deleted entities.
        walk ??= { upTo: told, after: null }
        const { upTo } = walk
        const { records, after, isEnd } = await find(walk.after, signal)
        if (records.length > 0) await commit(records)
        walk = { upTo, after }
        if (!isEnd) return true
        walk = null
        withdrawn = upTo
        forget()
        return true
      } finally {
        turns.isTaken = false
      }
    },
  }
}
