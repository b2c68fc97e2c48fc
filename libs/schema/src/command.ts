// The record of `commands`: an operation on stored data and on data that is still to come. Writers, propagators and
// mergers read the whole topic before their first chunk (ADR 0027).
import type { WriteMode } from '@svc-server/modes/write-mode'
import { commandSchema } from './avro/command-record.ts'
import { commandHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'

/**
 * `delete_trace`, `delete_project`: deletes rows and denies later arrivals. `set_bookmarked`, `set_public`: sets a
 * flag of a trace. `delete_score`: deletes a score as of the command's append, and denies nothing that comes later.
 */
export const commandKinds = ['delete_trace', 'delete_project', 'set_bookmarked', 'set_public', 'delete_score'] as const
type CommandKind = (typeof commandKinds)[number]

export interface Command {
  readonly projectId: string
  readonly kind: CommandKind
  /** Null for the project as a whole. The score's id for a score. */
  readonly traceId: string | null
  /** Value of a flag. Null for a deletion. */
  readonly value: boolean | null
  readonly acceptedAtMs: number
  /** Write mode of the accepting process. */
  readonly writeMode?: WriteMode | null
}

interface Written extends Omit<Command, 'kind'> {
  readonly kind: string
}

const codec = createRecordCodec<Written>(commandSchema, commandHistory)

/** Avro single-object encoding. */
export const encodeCommand = (command: Command): Buffer => codec.encode(command)

/** Returns null for a kind of a newer release, which consumers may skip. Throws UndecodableRecord. */
export function decodeCommand(bytes: Uint8Array): Command | null {
  const { kind, ...command } = codec.decode(bytes)
  const known = commandKinds.find(name => name === kind)
  return known === undefined ? null : { ...command, kind: known }
}

/** True for command bytes, on topics with other records too: deletions also travel among parts of traces. */
export const isCommand = (bytes: Uint8Array): boolean => codec.knows(bytes)

/**
 * Key of the compacted topic: a later command replaces an earlier one of the same kind and the same trace or project.
 */
export const commandKey = ({ projectId, kind, traceId }: Pick<Command, 'projectId' | 'kind' | 'traceId'>): string =>
  `${projectId}/${kind}/${traceId ?? ''}`
