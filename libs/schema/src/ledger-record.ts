// The record of the topic `ledger`: the outcome of a range of input of a stage other than the writer. The writer
// stores it in ingest_ledger.
import { ledgerRecordHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { ledgerRecordSchema } from './avro/records.ts'

/**
 * Group of the records of repair commits. The offsets in these records are numbers of repair commits, and their rows are republished spans.
 */
export const repairLedgerGroup = 'svc.propagator.repairs'

export interface LedgerRecord {
  /** Consumer group of the stage. */
  readonly group: string
  readonly topic: string
  readonly partition: number
  /** Destination table of the rows. Absent when they went to a topic. */
  readonly destination?: string
  /** Offsets of the range, both inclusive. */
  readonly first: number
  readonly last: number
  readonly records: number
  /** Spans as counted by the envelopes. */
  readonly spans: number
  /** Spans that the stage passed on. */
  readonly rows: number
  readonly deadLettered: number
  readonly denied: number
  /** Versions of the code and data that decided the outcome. */
  readonly versions: Readonly<Record<string, string>>
}

interface Written extends Omit<LedgerRecord, 'versions' | 'destination'> {
  /** Empty when the rows went to a topic. */
  readonly destination: string
  readonly versions: readonly { readonly name: string; readonly version: string }[]
}

const codec = createRecordCodec<Written>(ledgerRecordSchema, ledgerRecordHistory)

export const encodeLedgerRecord = (record: LedgerRecord): Buffer =>
  codec.encode({
    ...record,
    destination: record.destination ?? '',
    versions: Object.entries(record.versions).map(([name, version]) => ({ name, version })),
  })

/** Throws UndecodableRecord. */
export function decodeLedgerRecord(bytes: Uint8Array): LedgerRecord {
  const { versions, destination, ...record } = codec.decode(bytes)
  return {
    ...record,
    ...(destination === '' ? {} : { destination }),
    versions: Object.fromEntries(versions.map(({ name, version }) => [name, version])),
  }
}
