// The record of `commands`: an operation that applies to stored data and to data that arrives later. Writers, propagators and mergers read
// the whole topic before their first chunk (ADR 0027).
import type { WriteMode } from '@svc-server/modes/write-mode'
import { commandSchema } from './avro/command-record.ts'
import { commandHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'

/**
 * `delete_trace` and `delete_project` delete rows and deny data that arrives later. `set_bookmarked` and `set_public` set a flag of a
 * trace. `delete_score` deletes a score as of the time when the command was appended, and does not deny data that arrives later.
 */
export const commandKinds = ['delete_trace', 'delete_project', 'set_bookmarked', 'set_public', 'delete_score'] as const
type CommandKind = (typeof commandKinds)[number]

export interface Command {
  readonly projectId: string
  readonly kind: CommandKind
  /** Null for the whole project. For `delete_score`, the id of the score. */
  readonly traceId: string | null
  /** Value of the flag; null for a deletion. */
  readonly value: boolean | null
  readonly acceptedAtMs: number
  /** Write mode of the process that accepted the command. */
  readonly writeMode?: WriteMode | null
}

interface Written extends Omit<Command, 'kind'> {
  readonly kind: string
}

const codec = createRecordCodec<Written>(commandSchema, commandHistory)

/** Avro single-object encoding. */
export const encodeCommand = (command: Command): Buffer => codec.encode(command)

/** Returns null for a kind that a newer release added. Consumers can skip a command of an unknown kind. Throws UndecodableRecord. */
export function decodeCommand(bytes: Uint8Array): Command | null {
  const { kind, ...command } = codec.decode(bytes)
  const known = commandKinds.find(name => name === kind)
  return known === undefined ? null : { ...command, kind: known }
}

/** True if the bytes are a command. Some topics contain records of several kinds, so readers need this check. */
export const isCommand = (bytes: Uint8Array): boolean => codec.knows(bytes)

/**
 * Key of the compacted topic: a later command replaces the earlier command of the same kind for the same trace or project.
 */
export const commandKey = ({ projectId, kind, traceId }: Pick<Command, 'projectId' | 'kind' | 'traceId'>): string =>
  `${projectId}/${kind}/${traceId ?? ''}`
