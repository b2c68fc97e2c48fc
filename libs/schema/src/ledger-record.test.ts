import avsc from 'avsc'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ledgerRecordSchema } from './avro/records.ts'
import { decodeLedgerRecord, encodeLedgerRecord, type LedgerRecord } from './ledger-record.ts'

const text = fc.string({ unit: 'binary' }).map(value => value.toWellFormed())
// The Avro library encodes numbers beyond 2^52 wrongly, off by one.
const count = fc.nat({ max: 2 ** 52 })
const ledgerRecord: fc.Arbitrary<LedgerRecord> = fc.record({
  group: text,
  topic: text,
  partition: fc.nat(),
  destination: text.filter(name => name !== ''),
  first: count,
  last: count,
  records: count,
  spans: count,
  rows: count,
  deadLettered: count,
  denied: count,
  versions: fc.dictionary(text, text, { noNullPrototype: true }),
})

test('every ledger record round-trips', () => {
  fc.assert(
    fc.property(ledgerRecord, record => {
      expect(decodeLedgerRecord(encodeLedgerRecord(record))).toEqual(record)
    }),
  )
})

test('another Avro implementation writes the same bytes', () => {
  const type = avsc.Type.forSchema(ledgerRecordSchema as unknown as avsc.Schema, { wrapUnions: false })
  fc.assert(
    fc.property(ledgerRecord, record => {
      const versions = Object.entries(record.versions).map(([name, version]) => ({ name, version }))
      expect(
        encodeLedgerRecord(record)
          .subarray(10)
          .equals(type.toBuffer({ ...record, versions })),
      ).toBe(true)
    }),
  )
})
