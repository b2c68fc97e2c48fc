// Takes what was deleted out of the state of a partition: one walk over its entities, whose traces nothing else leads to.
import type { Denials } from '@svc-server/deletions/denials'
import type { NewRecord } from '@svc-server/log'
import { createRests } from '../rests.ts'
import { withdrawalOfStored } from './denied.ts'
import type { EntityState } from './state/entity-state.ts'

const idsAtATime = 512
/** Of one transaction. */
const maxRecords = 2_000

/** `commit`: of each part of them. Ends early when the signal aborts; false then. */
export async function withdrawDenied(
  { state, partition, denials, signal }: { state: EntityState; partition: number; denials: Denials; signal: AbortSignal },
  commit: (records: readonly NewRecord[]) => Promise<void>,
): Promise<boolean> {
  const rests = createRests(8)
  let found: NewRecord[] = []
  for (let after: Buffer | null = null; ; ) {
    const ids: readonly Buffer[] = state.idsAfter(partition, after, idsAtATime)
    for (const id of ids) {
      if (rests.isDue()) await rests.take()
      const record = state.byId(partition, id)
      const withdrawal = record === null ? null : withdrawalOfStored(record, denials, partition)
      if (withdrawal !== null) found.push(withdrawal)
    }
    if (signal.aborted) return false
    const isEnd = ids.length < idsAtATime
    if (found.length >= maxRecords || (isEnd && found.length > 0)) {
      await commit(found)
      found = []
    }
    if (isEnd) return true
    after = ids.at(-1)!
  }
}
