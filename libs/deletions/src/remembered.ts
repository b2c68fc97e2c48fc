// What the relational store knows of data that may be gone: deletions of longer ago than the log tells, and how long each
// project keeps its rows.
import { readDeletions } from '@svc-server/relational/deletions'
import { readFormerRetentions, readRetentions } from '@svc-server/relational/retentions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { cutoffMs } from './clean-up/retention.ts'
import type { Denials, Denied } from './denials.ts'

type Store = Pick<RelationalStore, 'db'>

/** Of those whose commands the log has lost, too. Throws `relational_unavailable`. */
export async function rememberedIn(relational: Store): Promise<readonly Denied[]> {
  const all: Denied[] = []
  for await (const deletions of readDeletions(instance(relational)))
    for (const { projectId, traceId } of deletions) all.push({ projectId, traceId })
  return all
}

/** Days by project; who keeps its rows for ever has none. */
export type RetentionDays = ReadonlyMap<string, number>

/** Throws `relational_unavailable`. */
export const retentionsIn = async (relational: Store): Promise<RetentionDays> =>
  new Map((await readRetentions(instance(relational))).map(({ projectId, retentionDays }) => [projectId, retentionDays]))

/** What projects kept until they were changed to keep more: what happened before is gone. Milliseconds since the epoch, by project. */
export type TakenBefore = ReadonlyMap<string, number>

/** No topic of spans keeps its records for longer, unless somebody has changed it. */
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

/** Of projects that keep all that they have. */
export const keepsAll: WhatIsKept = { retentions: new Map(), takenBefore: new Map() }

/** For callers that check whether a row may be missing: what is denied, and what its project no longer keeps, or once did not. Nothing is denied to a writer by its age. */
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
