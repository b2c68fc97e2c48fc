// Sets bookmarks and public flags. Other attributes of a trace change only through events of the trace (contract §11.3, Appendix E). The
// audit log records a flag's change before the event log acknowledges the command that sets the flag.
import { topicNames } from '@svc-server/modes/names'
import type { Actor } from '@svc-server/relational/actor'
import { noteTraceUpdate } from '@svc-server/relational/audit-log'
import { inProject } from '@svc-server/relational/tenancy'
import { type Command, commandKey, encodeCommand } from '@svc-server/schema/command'
import type { DeletionLog } from './requests.ts'

/** `bookmarked` belongs to the trace's root, and `public` to all its observations. */
type FlagName = 'bookmarked' | 'public'

export interface Flag {
  readonly projectId: string
  readonly traceId: string
  readonly name: FlagName
  readonly value: boolean
}

const kinds = { bookmarked: 'set_bookmarked', public: 'set_public' } as const
const names: Partial<Readonly<Record<Command['kind'], FlagName>>> = { set_bookmarked: 'bookmarked', set_public: 'public' }

/** Null for other commands. */
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
 * Works in every write mode. The last request wins. Resolves when the command is durable; the tables are updated seconds later. Resolves
 * with false if the project does not exist. After an error of the stores, the caller can repeat the request.
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
