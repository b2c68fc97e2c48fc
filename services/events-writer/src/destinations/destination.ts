// What differs from table to table. Intents, tokens, probes, refills and the ledger belong to the pipeline and are the same for all tables.
import type { KeyColumn } from '@svc-server/conservation/presence/key'
import type { TopicName } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import type { EncoderOptions, RowEncoder } from './row-encoder.ts'

export interface Destination {
  /** Its table, a ReplacingMergeTree. Names the destination in tokens, intents, the ledger and metrics, so it never changes. */
  readonly table: string
  /** Topics whose records become rows of it: every item of those that were accepted in this mode, once. */
  sources(writeMode: WriteMode): readonly TopicName[]
  /** The sorting key: rows that are equal in it replace each other. */
  readonly key: readonly KeyColumn[]
  /** The version column. With equal versions the last insert wins. */
  readonly version: string
  /** The key column, by its SQL, whose toYYYYMM partitions the table; null: not partitioned. An insert is atomic within a partition. */
  readonly monthOf: string | null
  /** Text column that says topic/partition/offset#index of a row; null: the table has none. */
  readonly provenance: string | null
  /** The table that a materialized view fills from it; null: there is none. */
  readonly dependent: DependentTable | null
  /** Code that makes its rows: what intents call it, and its version; two that have one name have one version. Rows of another version are inserted anew when a chunk is in doubt. */
  readonly rules: Rules
  /** Of a table of spans that takes entities, too: code that makes the rows of those. Concerns only chunks that have some. */
  readonly entityRules?: Rules
  /** How a record becomes rows. Called in the encoding thread; what it needs is loaded there, and nowhere else. */
  createEncoder(options: EncoderOptions): Promise<RowEncoder>
}

export interface Rules {
  readonly name: string
  readonly version: string
}

interface DependentTable {
  readonly table: string
  /** Columns of it, and the SELECT list that makes them of a row: those of the view. */
  readonly columns: readonly string[]
  readonly select: string
}

/** What a writer writes, and the script of the thread that knows the same destinations. */
export interface Destinations {
  readonly list: readonly Destination[]
  readonly encoderScript: URL
}

export const tablesOf = ({ table, dependent }: Destination): readonly string[] => [table, ...(dependent === null ? [] : [dependent.table])]

/** Topics of which some records become rows of it. */
export const topicsOf = ({ sources }: Destination): readonly TopicName[] => [...new Set(writeModes.flatMap(mode => sources(mode)))]

/**
 * Destinations that take a record: by its topic, and the mode that it was accepted in; null: it does not say.
 */
export type DestinationsOf = (topic: string, writeMode: WriteMode | null) => readonly Destination[]

/** `ownMode`: of records that do not say theirs. Asked for every record, so it is answered from a table. */
export function createDestinationsOf(list: readonly Destination[], ownMode: WriteMode): DestinationsOf {
  const takes = (mode: WriteMode, topic: string) => list.filter(({ sources }) => sources(mode).some(source => source === topic))
  const topics = new Set<string>(list.flatMap(topicsOf))
  const byMode = new Map(writeModes.map(mode => [mode, new Map([...topics].map(topic => [topic, takes(mode, topic)]))]))
  return (topic, writeMode) => byMode.get(writeMode ?? ownMode)!.get(topic) ?? []
}
