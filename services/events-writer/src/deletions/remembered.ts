// What the relational store knows of deletions: all of them for the deny list, and which are carried out.
import type { Denied } from '@svc-server/deletions/denials'
import { markDeleted, readDeletions } from '@svc-server/relational/deletions'
import type { RelationalStore } from '@svc-server/relational/store'
import type { Finished } from './executor.ts'

type Store = Pick<RelationalStore, 'db'>

/** Of those whose commands the log has lost, too. Throws `relational_unavailable`. */
export async function rememberedIn(relational: Store): Promise<readonly Denied[]> {
  const all: Denied[] = []
  for await (const deletions of readDeletions(relational)) for (const { projectId, traceId } of deletions) all.push({ projectId, traceId })
  return all
}

/** What of projects is left then, the upkeep ends. Throws `relational_unavailable`. */
export const finishedIn = (relational: Store, finished: readonly Finished[], now: Date): Promise<void> =>
  markDeleted(relational, finished, now)
