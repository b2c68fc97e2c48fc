// Bookmarks and public traces: the only two things of a trace that change without an event of it (contract §11.3, Appendix E). Noted in the audit
// log, then a command that the log has acknowledged, then whoever asked is answered.
import { topicNames } from '@svc-server/modes/names'
import type { Actor } from '@svc-server/relational/actor'
import { noteTraceUpdate } from '@svc-server/relational/audit-log'
import { inProject } from '@svc-server/relational/tenancy'
import { type Command, commandKey, encodeCommand } from '@svc-server/schema/command'
import type { DeletionLog } from './requests.ts'

/** `bookmarked`: of the trace's root; `public`: of all of it. */
type FlagName = 'bookmarked' | 'public'

export interface Flag {
  readonly projectId: string
  readonly traceId: string
  readonly name: FlagName
  readonly value: boolean
}

const kinds = { bookmarked: 'set_bookmarked', public: 'set_public' } as const
const names: Partial<Readonly<Record<Command['kind'], FlagName>>> = { set_bookmarked: 'bookmarked', set_public: 'public' }

/** What a command sets; null: nothing. */
export function flagBy({ kind, projectId, traceId, value }: Command): Flag | null {
  const name = names[kind]
  return name === undefined || traceId === null || value === null ? null : { projectId, traceId, name, value }
}

interface FlagRequest {
  readonly projectId: string
  readonly traceId: string
  readonly actor: Actor
  readonly flags: Partial<Readonly<Record<FlagName, boolean>>>
}

/**
 * Sets flags of a trace, in every write mode; the last one that was asked for stands. Resolves when it is durable: tables have it within seconds. False:
 * there is no such project. Throws what the stores throw: then the same is asked again.
 */
export async function setTraceFlags(
  { relational, append, writeMode, clock }: DeletionLog,
  { projectId, traceId, actor, flags }: FlagRequest,
): Promise<boolean> {
  const acceptedAtMs = clock()
  const wellFormed = traceId.toWellFormed()
  const said = Object.entries(flags) as readonly (readonly [FlagName, boolean])[]
  const by = { actor, at: new Date(acceptedAtMs) }
  if (!(await noteTraceUpdate(inProject(relational, projectId), by, { traceId: wellFormed, after: flags }))) return false
  const records = said.map(([name, value]) => {
    const command = { projectId, traceId: wellFormed, kind: kinds[name], value, acceptedAtMs, writeMode }
    return { key: Buffer.from(commandKey(command)), value: encodeCommand(command) }
  })
  if (records.length > 0) await append(topicNames.commands, records)
  return true
}
