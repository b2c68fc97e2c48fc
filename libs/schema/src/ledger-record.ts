// The record of the topic `ledger`. It describes what a stage other than the writer did with a range of input records. The writer stores
// the record in ingest_ledger.
import { ledgerRecordHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { ledgerRecordSchema } from './avro/records.ts'

/**
 * The value of `group` in records about the commits of repairs. Instead of offsets, these records contain the serial numbers of the
 * commits. `rows` is the number of spans that were published again.
 */
export const repairLedgerGroup = 'svc.propagator.repairs'

export interface LedgerRecord {
  readonly group: string
  readonly topic: string
  readonly partition: number
  /** The table into which the rows were inserted. Absent if the rows were written to a topic. */
  readonly destination?: string
  /** Inclusive. */
  readonly first: number
  readonly last: number
  readonly records: number
  /** Number of spans, according to the records' envelopes. */
  readonly spans: number
  /** Number of spans that the stage stored or published. */
  readonly rows: number
  readonly deadLettered: number
  readonly denied: number
  /** Versions of the code and data that determined the result. */
  readonly versions: Readonly<Record<string, string>>
}

interface Written extends Omit<LedgerRecord, 'versions' | 'destination'> {
  /** Name of the table that has the rows. Empty if the stage wrote to a topic instead. */
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
