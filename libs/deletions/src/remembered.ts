// What the relational store knows of data that may be gone: deletions of longer ago than the log tells, and how long each
// project keeps its rows.
import { readDeletions } from '@svc-server/relational/deletions'
import { readRetentions } from '@svc-server/relational/projects'
import type { RelationalStore } from '@svc-server/relational/store'
import { cutoffMs } from './clean-up/retention.ts'
import type { Denials, Denied } from './denials.ts'

type Store = Pick<RelationalStore, 'db'>

/** Of those whose commands the log has lost, too. Throws `relational_unavailable`. */
export async function rememberedIn(relational: Store): Promise<readonly Denied[]> {
  const all: Denied[] = []
  for await (const deletions of readDeletions(relational)) for (const { projectId, traceId } of deletions) all.push({ projectId, traceId })
  return all
}

/** Days by project; who keeps its rows for ever has none. */
export type RetentionDays = ReadonlyMap<string, number>

/** Throws `relational_unavailable`. */
export const retentionsIn = async (relational: Store): Promise<RetentionDays> =>
  new Map((await readRetentions(relational)).map(({ projectId, retentionDays }) => [projectId, retentionDays]))

/** For who asks whether a row may be gone: what is denied, and what its project no longer keeps. Nothing is denied to a writer by its age. */
export function withRetentions(denials: Denials, retentions: () => RetentionDays, clock: () => number): Denials {
  return {
    concerns: projectId => retentions().has(projectId) || denials.concerns(projectId),
    denies(projectId, traceId, happenedUs) {
      const retentionDays = retentions().get(projectId)
      if (retentionDays !== undefined && happenedUs !== undefined && happenedUs / 1000 < cutoffMs({ retentionDays }, clock())) return true
      return denials.denies(projectId, traceId)
    },
  }
}
