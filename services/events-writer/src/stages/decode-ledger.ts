// Rejects a record that the table ingest_ledger cannot store. Otherwise, this record would block the insert of all other records.

import { topicNames } from '@svc-server/modes/names'
import { decodeLedgerRecord, type LedgerRecord } from '@svc-server/schema/ledger-record'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { type Envelope, withPayload } from '@svc-server/stream/envelope'
import { emit, reject, type StageResult } from '@svc-server/stream/stage'

const stage = 'ledger'
const topics: readonly string[] = Object.values(topicNames)

/** Rejects undecodable records (reason record_undecodable) and records with invalid values (reason ledger_invalid). */
export function decodeLedger(envelope: Envelope<Uint8Array>): StageResult<LedgerRecord> {
  let record: LedgerRecord
  try {
    record = decodeLedgerRecord(envelope.payload)
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return reject(stage, 'record_undecodable', error.message)
  }
  const fault = faultOf(record)
  return fault === null ? emit(withPayload(envelope, record)) : reject(stage, 'ledger_invalid', fault)
}

function faultOf({ topic, partition, first, last, records, spans, rows, deadLettered, denied }: LedgerRecord): string | null {
  if (!topics.includes(topic)) return `The record’s topic ${topic} does not exist.`
  if (Math.min(partition, first, records, spans, rows, deadLettered, denied) < 0) return 'One of the numbers in the record is negative.'
  return first > last ? `The first offset of the record’s range is ${first}, but its last offset is only ${last}.` : null
}
