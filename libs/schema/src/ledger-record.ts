// The record of the topic `ledger`: what a stage other than the writer did with a range of its input. The
// writer stores it in ingest_ledger.
import { ledgerRecordHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { ledgerRecordSchema } from './avro/records.ts'

/**
 * Group of the records of repair commits: their offsets are numbers of such commits, and their rows are spans
 * that were published again.
 */
export const repairLedgerGroup = 'svc.propagator.repairs'

export interface LedgerRecord {
  /** Consumer group of the stage. */
  readonly group: string
  readonly topic: string
  readonly partition: number
  /** Table that the rows went to; absent: they went to a topic. */
  readonly destination?: string
  /** Offsets of the range, both inclusive. */
  readonly first: number
  readonly last: number
  readonly records: number
  /** By the envelopes. */
  readonly spans: number
  /** Spans that were passed on. */
  readonly rows: number
  readonly deadLettered: number
  readonly denied: number
  /** Of what decided the outcome. */
  readonly versions: Readonly<Record<string, string>>
}

interface Written extends Omit<LedgerRecord, 'versions' | 'destination'> {
  /** Empty: to a topic. */
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
