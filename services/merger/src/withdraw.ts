// Deletes data from the state of a partition by a walk over its entities, because nothing else leads to their traces. The walk runs in
// slices, so that merging continues between them. Until it ends, the deletion is appended again behind each commit, so that the next owner
// walks, too.
import type { Denied } from '@svc-server/deletions/denials'
import type { LogRecord, NewRecord } from '@svc-server/log'
import { createRests } from '@svc-server/owner/rests'
import { deletionsIn, type MergerDenials, withdrawalOfStored } from './denied.ts'
import type { EntityState } from './state/entity-state.ts'

export interface WithdrawalSlices {
  readonly idsAtATime: number
  /** After so long the others have their turn. */
  readonly sliceMs: number
}

export const defaultSlices: WithdrawalSlices = { idsAtATime: 512, sliceMs: 40 }
/** Of one transaction. */
const maxRecords = 2_000
/** Deletions of which it is remembered that the state has nothing of them; of others it is looked for again. */
const maxRemembered = 10_000

/** Walks of a process: one slice at a time, so that it has time for what is merged. */
export interface WalkTurns {
  isTaken: boolean
}

export interface Withdrawals {
  /** A walk is under way, or has to begin. */
  readonly isPending: boolean
  /** Takes note of deletions, and answers those that are pending, in the order in which they were told first. */
  learn(records: readonly LogRecord[]): readonly LogRecord[]
  /** One slice. `commit`: of what is to be published. False: it was another partition's turn. */
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
  /** Which deletion came as which, of those that this owner was told. */
  const numbers = new Map<string, number>()
  let told = 0
  /** Up to which one nothing is left. */
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
    const rests = createRests(8)
    const records: NewRecord[] = []
    const untilMs = performance.now() + slices.sliceMs
    for (let last = after; ; ) {
      const ids = state.idsAfter(partition, last, slices.idsAtATime)
      for (const id of ids) {
        if (rests.isDue()) await rests.take()
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
        // What is denied from now on concerns entities that this walk has passed: then there is another one.
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
