// The relational store's knowledge about rows that may be absent: deletions older than the log's records, and each
// project's retention.
import { readDeletions } from '@svc-server/relational/deletions'
import { readFormerRetentions, readRetentions } from '@svc-server/relational/retentions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { cutoffMs } from './clean-up/retention.ts'
import type { Denials, Denied } from './denials.ts'

type Store = Pick<RelationalStore, 'db'>

/** Includes deletions whose commands the log has lost. Throws `relational_unavailable`. */
export async function rememberedIn(relational: Store): Promise<readonly Denied[]> {
  const all: Denied[] = []
  for await (const deletions of readDeletions(instance(relational)))
    for (const { projectId, traceId } of deletions) all.push({ projectId, traceId })
  return all
}

/** Days by project. A project without a retention has no entry. */
export type RetentionDays = ReadonlyMap<string, number>

/** Throws `relational_unavailable`. */
export const retentionsIn = async (relational: Store): Promise<RetentionDays> =>
  new Map((await readRetentions(instance(relational))).map(({ projectId, retentionDays }) => [projectId, retentionDays]))

/**
 * The cutoff up to which a project's rows were deleted before its retention was lengthened. Milliseconds since the
 * epoch, by project.
 */
export type TakenBefore = ReadonlyMap<string, number>

/** No topic of spans keeps records longer, unless an operator has changed it. */
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

/** The retentions of a deployment where every project keeps everything. */
export const keepsAll: WhatIsKept = { retentions: new Map(), takenBefore: new Map() }

/**
 * Denials for callers that check whether a row may be missing: deletions, and rows beyond the project's current or former retention.
 * Writers deny nothing by age.
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
