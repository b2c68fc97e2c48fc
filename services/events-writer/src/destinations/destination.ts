// Describes the properties in which the tables differ. Intents, tokens, probes, refills and the ledger belong to the pipeline and are the
// same for all tables.
import type { KeyColumn } from '@svc-server/conservation/presence/key'
import type { TopicName } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import type { EncoderOptions, RowEncoder } from './row-encoder.ts'

export interface Destination {
  /** The destination's table, a ReplacingMergeTree. Tokens, intents, the ledger and metrics use the name, so the name never changes. */
  readonly table: string
  /** Topics from which the table takes every item of this write mode exactly once. */
  sources(writeMode: WriteMode): readonly TopicName[]
  /** The sorting key. A newer row replaces an earlier row with the same key. */
  readonly key: readonly KeyColumn[]
  /** The version column. Of several rows with the same version, the one that was inserted last wins. */
  readonly version: string
  /**
   * SQL of a key column. The table is partitioned by the month (toYYYYMM) of this column. Null if the table is not partitioned. An insert
   * is atomic within one partition.
   */
  readonly monthOf: string | null
  /** Text column with the topic/partition/offset#index of a row; null if the table has no such column. */
  readonly provenance: string | null
  /** The table that a materialized view fills from this table; null if there is no such view. */
  readonly dependent: DependentTable | null
  /**
   * Name and version of the code that makes the rows, for intents. Destinations with the same name also have the same version. If a
   * different version made the rows of a chunk in doubt, the writer inserts all rows of the chunk again.
   */
  readonly rules: Rules
  /**
   * Name and version of the code that makes entity rows, for a table of spans that also takes entities. Chunks without entities ignore the
   * version of the entity rules.
   */
  readonly entityRules?: Rules
  /**
   * Creates the code that turns records into rows. Only the encoding thread calls `createEncoder`, so only that thread loads the modules of
   * the encoder.
   */
  createEncoder(options: EncoderOptions): Promise<RowEncoder>
}

export interface Rules {
  readonly name: string
  readonly version: string
}

interface DependentTable {
  readonly table: string
  /** Columns of the dependent table, and the view's SELECT list, which computes them from a row. */
  readonly columns: readonly string[]
  readonly select: string
}

/** The destinations of a writer, and the script of an encoding thread that supports the same destinations. */
export interface Destinations {
  readonly list: readonly Destination[]
  readonly encoderScript: URL
}

export const tablesOf = ({ table, dependent }: Destination): readonly string[] => [table, ...(dependent === null ? [] : [dependent.table])]

/** Topics whose records can become rows of the destination in at least one write mode. */
export const topicsOf = ({ sources }: Destination): readonly TopicName[] => [...new Set(writeModes.flatMap(mode => sources(mode)))]

/** Destinations of a record, by topic and by the write mode that accepted it (null for a record without a mode). */
export type DestinationsOf = (topic: string, writeMode: WriteMode | null) => readonly Destination[]

/**
 * `ownMode` applies to records without a write mode. The destinations are computed once, because the writer needs them for every record.
 */
export function createDestinationsOf(list: readonly Destination[], ownMode: WriteMode): DestinationsOf {
  const takes = (mode: WriteMode, topic: string) => list.filter(({ sources }) => sources(mode).some(source => source === topic))
  const topics = new Set<string>(list.flatMap(topicsOf))
  const byMode = new Map(writeModes.map(mode => [mode, new Map([...topics].map(topic => [topic, takes(mode, topic)]))]))
  return (topic, writeMode) => byMode.get(writeMode ?? ownMode)!.get(topic) ?? []
}
