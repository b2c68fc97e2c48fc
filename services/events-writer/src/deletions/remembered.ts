// What the relational store knows of deletions: all of them for the deny list, and which are carried out.
import type { Denied } from '@svc-server/deletions/denials'
import { type DeletionLog, renewDeletions } from '@svc-server/deletions/requests'
import { markDeleted, readDeletions } from '@svc-server/relational/deletions'
import { purgeProject } from '@svc-server/relational/purge-project'
import type { RelationalStore } from '@svc-server/relational/store'
import type { Finished } from './executor.ts'

type Store = Pick<RelationalStore, 'db'>

/** Of those whose commands the log has lost, too. Throws `relational_unavailable`. */
export async function rememberedIn(relational: Store): Promise<readonly Denied[]> {
  const all: Denied[] = []
  for await (const deletions of readDeletions(relational)) for (const { projectId, traceId } of deletions) all.push({ projectId, traceId })
  return all
}

/** Throws `relational_unavailable`. */
export async function finishedIn(relational: Store, finished: readonly Finished[], now: Date): Promise<void> {
  await markDeleted(relational, finished, now)
  for (const { projectId, traceId } of finished) if (traceId === null) await purgeProject(relational, projectId, now)
}

/** A deletion that nobody carries out: noted, and its command never came to the log, or left it. */
const staleMs = 15 * 60_000
const intervalMs = 60_000

export interface Renewal {
  start(): void
  stop(): void
}

export function createRenewal(deps: DeletionLog, onError: (error: unknown) => void): Renewal {
  let timer: NodeJS.Timeout | undefined
  const renew = () => void renewDeletions(deps, staleMs).catch(onError)
  return {
    start() {
      renew()
      timer = setInterval(renew, intervalMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
