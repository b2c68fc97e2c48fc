import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseInsertHead } from './insert.ts'

const parts = (text: string) => {
  const head = parseInsertHead(text)
  return head && { target: head.target.trim(), settings: head.settings, format: head.format, data: text.slice(head.dataStart) }
}

describe('an INSERT with data is split into its head and its data', () => {
  test.each([
    ['INSERT INTO t FORMAT JSONEachRow\n{"a":1}', { target: 'INSERT INTO t', settings: '', format: 'JSONEachRow', data: '{"a":1}' }],
    ['insert into `d`.t (a, "b") format Native', { target: 'insert into `d`.t (a, "b")', settings: '', format: 'Native', data: '' }],
    [
      "INSERT INTO t (* EXCEPT(a)) SETTINGS x = 1, y = 'FORMAT' FORMAT TSV 1",
      { target: 'INSERT INTO t (* EXCEPT(a))', settings: "x = 1, y = 'FORMAT'", format: 'TSV', data: '1' },
    ],
    ["INSERT INTO t VALUES (1, 'a')", { target: 'INSERT INTO t', settings: '', format: 'Values', data: " (1, 'a')" }],
    ['INSERT INTO t SETTINGS x=1 VALUES (1)', { target: 'INSERT INTO t', settings: 'x=1', format: 'Values', data: ' (1)' }],
    ['INSERT INTO t', { target: 'INSERT INTO t', settings: '', format: 'Values', data: '' }],
    ['-- c\nINSERT INTO TABLE t FORMAT CSV\r\n\n1', { target: 'INSERT INTO TABLE t', settings: '', format: 'CSV', data: '\n1' }],
  ])('%j', (text, expected) => expect(parts(text)).toEqual(expected))
})

test.each([
  'SELECT 1',
  'INSERT INTO t SELECT 1',
  'INSERT INTO t (a) SELECT 1',
  'INSERT INTO t (SELECT 1)',
  'INSERT INTO t (a) WITH 1 AS x SELECT x',
  "INSERT INTO t FROM INFILE 'x' FORMAT TSV",
  '',
  'EXPLAIN INSERT INTO t VALUES (1)',
])('does not recognize an INSERT with data in %j', text => expect(parseInsertHead(text)).toBeNull())

test('only the head is SQL, whatever the data contains', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), data => {
      const head = 'INSERT INTO t (a) FORMAT RowBinary\n'
      const text = Buffer.from(head + data, 'utf8').toString('latin1')
      const parsed = parseInsertHead(text)
      expect(parsed?.target).toBe('INSERT INTO t (a) ')
      expect(parsed?.dataStart).toBe(head.length)
    }),
  ))
