// From a request to a command, in an order that a crash anywhere leaves whole: the deletion is noted in the relational
// store, then the log acknowledges its command, then whoever asked is answered. What was noted and got no command gets it
// from who carries deletions out.
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Actor } from '@svc-server/relational/audit-log'
import { type Deletion, noteTraceDeletions, renewPending } from '@svc-server/relational/deletions'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import { commandKey, encodeCommand } from '@svc-server/schema/command'

export interface CommandingOptions {
  readonly relational: Pick<RelationalStore, 'db'>
  /** Resolves when the records are durable. */
  readonly append: (topic: string, records: readonly NewRecord[]) => Promise<unknown>
  readonly writeMode: WriteMode
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export interface DeletionRequestsOptions extends CommandingOptions {
  readonly keys: Pick<KeyStore, 'deleteProject'>
}

interface Request {
  readonly projectId: string
  readonly actor: Actor
}

/** Each: false when there is no such project, and nothing is deleted. Throws what the stores throw: then the same is asked again. */
export interface DeletionRequests {
  deleteTraces(request: Request & { readonly traceIds: readonly string[] }): Promise<boolean>
  /** Of the organisation that is named, if one is. */
  deleteProject(request: Request & { readonly orgId?: string }): Promise<boolean>
}

export function createDeletionRequests({ keys, ...options }: DeletionRequestsOptions): DeletionRequests {
  const { relational, clock } = options
  const command = createCommand(options)
  return {
    async deleteTraces({ projectId, actor, traceIds }) {
      const acceptedAtMs = clock()
      // As it is on every record, whose texts are UTF-8.
      const wellFormed = [...new Set(traceIds.map(id => id.toWellFormed()))]
      const isNoted = await noteTraceDeletions(relational, { projectId, actor, traceIds: wellFormed, at: new Date(acceptedAtMs) })
      if (!isNoted) return false
      await command(
        wellFormed.map(traceId => ({ projectId, traceId })),
        acceptedAtMs,
      )
      return true
    },
    async deleteProject({ projectId, orgId, actor }) {
      const acceptedAtMs = clock()
      const deletion = { projectId, actor, at: new Date(acceptedAtMs), ...(orgId !== undefined && { orgId }) }
      if (!(await keys.deleteProject(deletion))) return false
      await command([{ projectId, traceId: null }], acceptedAtMs)
      return true
    },
  }
}

/** Gives a command to what was noted more than `afterMs` ago and is not done. Resolves with how many. */
export type Renew = (afterMs: number) => Promise<number>

export function createRenew(options: CommandingOptions): Renew {
  const { relational, clock } = options
  const command = createCommand(options)
  return async function renew(afterMs) {
    const nowMs = clock()
    for (let renewed = 0; ; ) {
      const deletions = await renewPending(relational, { before: new Date(nowMs - afterMs), now: new Date(nowMs) })
      if (deletions.length === 0) return renewed
      await command(deletions, nowMs)
      renewed += deletions.length
    }
  }
}

function createCommand({ append, writeMode }: Pick<CommandingOptions, 'append' | 'writeMode'>) {
  function recordOf(deletion: Deletion, acceptedAtMs: number): NewRecord {
    const kind = deletion.traceId === null ? ('delete_project' as const) : ('delete_trace' as const)
    const command = { ...deletion, kind, value: null, acceptedAtMs, writeMode }
    return { key: Buffer.from(commandKey(command)), value: encodeCommand(command) }
  }
  return (deletions: readonly Deletion[], acceptedAtMs: number) =>
    append(
      topicNames.commands,
      deletions.map(deletion => recordOf(deletion, acceptedAtMs)),
    )
}
