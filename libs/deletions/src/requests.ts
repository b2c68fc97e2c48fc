// Turns a deletion request into a command. The relational store records the deletion, then the log acknowledges the command, and then the
// caller gets the response. If a crash prevents the append of the command, the periodic upkeep appends it.
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Actor } from '@svc-server/relational/actor'
import { type Deletion, noteTraceDeletions, renewPending } from '@svc-server/relational/deletions'
import type { KeyStore } from '@svc-server/relational/key-types'
import { wasEverProject } from '@svc-server/relational/project-deletion'
import type { RelationalStore } from '@svc-server/relational/store'
import { inProject, instance } from '@svc-server/relational/tenancy'
import { commandKey, encodeCommand } from '@svc-server/schema/command'

export interface DeletionLog {
  readonly relational: Pick<RelationalStore, 'db'>
  /** Resolves when they are durable. */
  readonly append: (topic: string, records: readonly NewRecord[]) => Promise<unknown>
  readonly writeMode: WriteMode
  readonly clock: () => number
}

export interface DeletionRequestsOptions extends DeletionLog {
  readonly keys: Pick<KeyStore, 'deleteProject'>
}

interface Request {
  readonly projectId: string
  readonly actor: Actor
}

export interface DeletionRequests {
  /** Resolves with false if the project does not exist. After an error of the stores, the caller can repeat the request. */
  deleteTraces(request: Request & { readonly traceIds: readonly string[] }): Promise<boolean>
  /**
   * With `orgId`, deletes only a project of this organization. Without `orgId`, a project that is already deleted completely is also
   * accepted, because a backup of the column store can bring its rows back.
   */
  deleteProject(request: Request & { readonly orgId?: string }): Promise<boolean>
}

async function command({ append, writeMode }: DeletionLog, deletions: readonly Deletion[], acceptedAtMs: number): Promise<void> {
  const records = deletions.map(deletion => {
    const kind = deletion.traceId === null ? ('delete_project' as const) : ('delete_trace' as const)
    const of = { ...deletion, kind, value: null, acceptedAtMs, writeMode }
    return { key: Buffer.from(commandKey(of)), value: encodeCommand(of) }
  })
  await append(topicNames.commands, records)
}

/**
 * Appends the commands of unfinished deletions again if these deletions were recorded more than `afterMs` ago. Resolves with their number.
 */
export async function renewDeletions(log: DeletionLog, afterMs: number): Promise<number> {
  let renewed = 0
  const nowMs = log.clock()
  for (;;) {
    const deletions = await renewPending(instance(log.relational), { before: new Date(nowMs - afterMs), now: new Date(nowMs) })
    if (deletions.length === 0) return renewed
    await command(log, deletions, nowMs)
    renewed += deletions.length
  }
}

export function createDeletionRequests(options: DeletionRequestsOptions): DeletionRequests {
  const { relational, keys, clock } = options

  return {
    async deleteTraces({ projectId, actor, traceIds }) {
      const acceptedAtMs = clock()
      // A record is UTF-8, so it cannot contain lone surrogates.
      const wellFormed = [...new Set(traceIds.map(id => id.toWellFormed()))]
      const by = { actor, at: new Date(acceptedAtMs) }
      const isNoted = await noteTraceDeletions(inProject(relational, projectId), by, wellFormed)
      if (!isNoted) return false
      await command(
        options,
        wellFormed.map(traceId => ({ projectId, traceId })),
        acceptedAtMs,
      )
      return true
    },
    async deleteProject({ projectId, orgId, actor }) {
      const acceptedAtMs = clock()
      const deletion = { projectId, actor, at: new Date(acceptedAtMs), ...(orgId !== undefined && { orgId }) }
      const isThere =
        (await keys.deleteProject(deletion)) || (orgId === undefined && (await wasEverProject(instance(options.relational), projectId)))
      if (!isThere) return false
      await command(options, [{ projectId, traceId: null }], acceptedAtMs)
      return true
    },
  }
}
