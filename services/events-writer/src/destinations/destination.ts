// Describes how a table differs from the other tables. Intents, tokens, probes, refills and the ledger work in the same way for all tables.
import type { KeyColumn } from '@svc-server/conservation/presence/key'
import type { TopicName } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import type { EncoderOptions, RowEncoder } from './row-encoder.ts'

export interface Destination {
  /** Name of a ReplacingMergeTree table. The name never changes, because tokens, intents, the ledger and metrics contain it. */
  readonly table: string
  /** Returns the topics from which the table gets rows in this mode. Together, they contain every item for the table exactly once. */
  sources(writeMode: WriteMode): readonly TopicName[]
  /** The sorting key. A newer row replaces an earlier row with the same key. */
  readonly key: readonly KeyColumn[]
  /** The version column. Of several rows with the same version, the last inserted one wins. */
  readonly version: string
  /**
   * SQL of the key column whose month (toYYYYMM) determines the partition of a row. Null if the table is not partitioned. The writer
   * inserts missing rows separately for each partition, because an insert is atomic only within one partition.
   */
  readonly monthOf: string | null
  /** Column with the provenance of a row (topic/partition/offset#index); null if the table has no such column. */
  readonly provenance: string | null
  /** The table that a view fills from this table, or null. */
  readonly dependent: DependentTable | null
  /**
   * Name and version of the code that makes the rows. If the `rules` of several destinations have the same name, they must have the same
   * version, because an intent contains one version for each name. If the outcome of an insert is unknown, and the intent's version differs
   * from the version of the running code, the writer inserts all rows of the chunk again: the earlier code could have made other rows.
   */
  readonly rules: Rules
  /**
   * Name and version of the code that makes the rows of entities. Present if the table has both rows of spans and rows of entities. Ignored
   * for chunks without entities.
   */
  readonly entityRules?: Rules
  /** Creates the code that turns records into rows. Only the encoding thread calls it, so only this thread loads the encoder's modules. */
  createEncoder(options: EncoderOptions): Promise<RowEncoder>
}

export interface Rules {
  readonly name: string
  readonly version: string
}

interface DependentTable {
  readonly table: string
  readonly columns: readonly string[]
  readonly select: string
}

export interface Destinations {
  readonly list: readonly Destination[]
  readonly encoderScript: URL
}

export const tablesOf = ({ table, dependent }: Destination): readonly string[] => [table, ...(dependent === null ? [] : [dependent.table])]

export const topicsOf = ({ sources }: Destination): readonly TopicName[] => [...new Set(writeModes.flatMap(mode => sources(mode)))]

/** Returns the destinations of a record. `writeMode` is null for a record without a write mode. */
export type DestinationsOf = (topic: string, writeMode: WriteMode | null) => readonly Destination[]

/**
 * `ownMode` is the mode for records without a write mode. The function computes the destinations of all topics and modes in advance,
 * because every record needs them.
 */
export function createDestinationsOf(list: readonly Destination[], ownMode: WriteMode): DestinationsOf {
  const takes = (mode: WriteMode, topic: string) => list.filter(({ sources }) => sources(mode).some(source => source === topic))
  const topics = new Set<string>(list.flatMap(topicsOf))
  const byMode = new Map(writeModes.map(mode => [mode, new Map([...topics].map(topic => [topic, takes(mode, topic)]))]))
  return (topic, writeMode) => byMode.get(writeMode ?? ownMode)!.get(topic) ?? []
}
