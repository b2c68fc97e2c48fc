// The record of `commands`: what is to be done to data that is stored, and to what still comes. Writers,
// propagators and mergers read the topic whole before their first chunk (ADR 0027).
import type { WriteMode } from '@svc-server/modes/write-mode'
import { commandSchema } from './avro/command-record.ts'
import { commandHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'

/**
 * `delete_trace`, `delete_project`: rows go, and whatever of it comes later is denied. `set_bookmarked`,
 * `set_public`: a flag of a trace. `delete_score`: what was said of a score until the command was appended; it
 * denies nothing that comes later.
 */
export const commandKinds = ['delete_trace', 'delete_project', 'set_bookmarked', 'set_public', 'delete_score'] as const
type CommandKind = (typeof commandKinds)[number]

export interface Command {
  readonly projectId: string
  readonly kind: CommandKind
  /** Null: the project as a whole. Of a score: its id. */
  readonly traceId: string | null
  /** What a flag is set to; null of a deletion. */
  readonly value: boolean | null
  readonly acceptedAtMs: number
  /** Of the process that accepted it. */
  readonly writeMode?: WriteMode | null
}

interface Written extends Omit<Command, 'kind'> {
  readonly kind: string
}

const codec = createRecordCodec<Written>(commandSchema, commandHistory)

/** Avro single-object encoding. */
export const encodeCommand = (command: Command): Buffer => codec.encode(command)

/**
 * Null: a kind that a newer release has, to be passed over by those that have no use for it. Throws
 * UndecodableRecord.
 */
export function decodeCommand(bytes: Uint8Array): Command | null {
  const { kind, ...command } = codec.decode(bytes)
  const known = commandKinds.find(name => name === kind)
  return known === undefined ? null : { ...command, kind: known }
}

/** True when the bytes are such a record, on topics that have others too: deletions are passed on among parts of traces. */
export const isCommand = (bytes: Uint8Array): boolean => codec.knows(bytes)

/** Key of the topic, which is compacted: a later command of a kind takes the place of an earlier one of the same trace or project. */
export const commandKey = ({ projectId, kind, traceId }: Pick<Command, 'projectId' | 'kind' | 'traceId'>): string =>
  `${projectId}/${kind}/${traceId ?? ''}`
