// Finds the rows that are allowed to be missing from the column store: deleted rows whose deletion command is not on the log, and rows
// older than their project's retention.
import { readDeletions } from '@svc-server/relational/deletions'
import { readFormerRetentions, readRetentions } from '@svc-server/relational/retentions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { cutoffMs } from './clean-up/retention.ts'
import type { Denials, Denied } from './denials.ts'

type Store = Pick<RelationalStore, 'db'>

/**
 * Returns all deleted projects and traces, even if the log no longer has the commands that deleted them. Throws `relational_unavailable`.
 */
export async function rememberedIn(relational: Store): Promise<readonly Denied[]> {
  const all: Denied[] = []
  for await (const deletions of readDeletions(instance(relational)))
    for (const { projectId, traceId } of deletions) all.push({ projectId, traceId })
  return all
}

/** Retention in days, by project. A project without an entry keeps its rows. */
export type RetentionDays = ReadonlyMap<string, number>

/** Throws `relational_unavailable`. */
export const retentionsIn = async (relational: Store): Promise<RetentionDays> =>
  new Map((await readRetentions(instance(relational))).map(({ projectId, retentionDays }) => [projectId, retentionDays]))

/**
 * For each project that formerly had a shorter retention, a cutoff in milliseconds since the epoch. If an event of the project happened
 * before the cutoff, its row may have been deleted.
 */
export type TakenBefore = ReadonlyMap<string, number>

/**
 * If a project's retention was changed more than this number of milliseconds ago, the former retention is not read. No span topic keeps
 * records for longer, unless an operator has changed the topic's retention.
 */
const rememberedMs = 31 * 86_400_000

/** Throws `relational_unavailable`. */
export async function takenBeforeIn(relational: Store, nowMs: number): Promise<TakenBefore> {
  const taken = new Map<string, number>()
  for (const { projectId, until, ...retention } of await readFormerRetentions(instance(relational), new Date(nowMs - rememberedMs))) {
    taken.set(projectId, Math.max(taken.get(projectId) ?? 0, cutoffMs(retention, until.getTime())))
  }
  return taken
}

export interface WhatIsKept {
  readonly retentions: RetentionDays
  readonly takenBefore: TakenBefore
}

/** Describes a deployment in which no project has a retention: all rows are kept. */
export const keepsAll: WhatIsKept = { retentions: new Map(), takenBefore: new Map() }

/**
 * Extends `denials` with the retention periods, for callers that check whether a missing row is allowed to be missing. A row is allowed to
 * be missing if its trace or its project was deleted, or if the row is older than a current or former retention period. Writers accept rows
 * of any age, so they do not use these denials.
 */
export function withRetentions(denials: Denials, kept: () => WhatIsKept, clock: () => number): Denials {
  function isTaken(projectId: string, happenedMs: number): boolean {
    const { retentions, takenBefore } = kept()
    const retentionDays = retentions.get(projectId)
    if (retentionDays !== undefined && happenedMs < cutoffMs({ retentionDays }, clock())) return true
    return happenedMs < (takenBefore.get(projectId) ?? 0)
  }
  return {
    concerns: projectId => kept().retentions.has(projectId) || kept().takenBefore.has(projectId) || denials.concerns(projectId),
    denies: (projectId, traceId, happenedUs) =>
      (happenedUs !== undefined && isTaken(projectId, happenedUs / 1000)) || denials.denies(projectId, traceId),
  }
}
