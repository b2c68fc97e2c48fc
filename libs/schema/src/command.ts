// The record of the topic `commands`. A command changes stored data, and also data that arrives later. Writers, propagators and mergers
// read the whole topic before their first chunk (ADR 0027).
import type { WriteMode } from '@svc-server/modes/write-mode'
import { commandSchema } from './avro/command-record.ts'
import { commandHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'

/**
 * `delete_trace` and `delete_project` delete stored data. Data of the trace or project that arrives later is denied. `delete_score` deletes
 * only those rows of a score that are older than the command's append time.
 */
export const commandKinds = ['delete_trace', 'delete_project', 'set_bookmarked', 'set_public', 'delete_score'] as const
type CommandKind = (typeof commandKinds)[number]

export interface Command {
  readonly projectId: string
  readonly kind: CommandKind
  /** Null for a command on the whole project. For `delete_score`, this is the score's id. */
  readonly traceId: string | null
  /** Null for a deletion. */
  readonly value: boolean | null
  readonly acceptedAtMs: number
  readonly writeMode?: WriteMode | null
}

interface Written extends Omit<Command, 'kind'> {
  readonly kind: string
}

const codec = createRecordCodec<Written>(commandSchema, commandHistory)

export const encodeCommand = (command: Command): Buffer => codec.encode(command)

/** Returns null for a kind of command that only a newer release knows. Consumers can skip such a command. Throws UndecodableRecord. */
export function decodeCommand(bytes: Uint8Array): Command | null {
  const { kind, ...command } = codec.decode(bytes)
  const known = commandKinds.find(name => name === kind)
  return known === undefined ? null : { ...command, kind: known }
}

/** Returns true if the record is a command. The same topic can also hold records of other kinds. */
export const isCommand = (bytes: Uint8Array): boolean => codec.knows(bytes)

/** On the compacted topic, a later command replaces the earlier command of the same kind and target. */
export const commandKey = ({ projectId, kind, traceId }: Pick<Command, 'projectId' | 'kind' | 'traceId'>): string =>
  `${projectId}/${kind}/${traceId ?? ''}`
