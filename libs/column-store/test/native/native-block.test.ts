import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ArrayColumn,
  buffersOf,
  type ColumnSpec,
  createBlockBuilder,
  createBufferPool,
  LowCardinalityArrayColumn,
  LowCardinalityColumn,
  NullableNumberColumn,
  NullableStringColumn,
  NumberColumn,
  NumberMapColumn,
  StringColumn,
  sourceOf,
  TextMapColumn,
  transferables,
} from '../../src/native/index.ts'
import { type NativeEngine, nativeEngine } from './native-engine.ts'

let engine: NativeEngine
beforeAll(async () => {
  engine = await nativeEngine()
})
afterAll(() => engine.close())

const allTypes: readonly ColumnSpec[] = [
  { name: 's', type: 'String' },
  { name: 'lc', type: 'LowCardinality(String)' },
  { name: 'b', type: 'Bool' },
  { name: 'u8', type: 'UInt8' },
  { name: 'u16', type: 'UInt16' },
  { name: 'u64', type: 'UInt64' },
  { name: 't', type: 'DateTime64(6)' },
  { name: 'ns', type: 'Nullable(String)' },
  { name: 'n8', type: 'Nullable(UInt8)' },
  { name: 'n16', type: 'Nullable(UInt16)' },
  { name: 'n64', type: 'Nullable(UInt64)' },
  { name: 'nt', type: 'Nullable(DateTime64(6))' },
  { name: 'a_s', type: 'Array(String)' },
  { name: 'a_lc', type: 'Array(LowCardinality(String))' },
  { name: 'a_u8', type: 'Array(UInt8)' },
  { name: 'usage', type: 'Map(LowCardinality(String), UInt64)' },
  { name: 'cost', type: 'Map(LowCardinality(String), Decimal(18, 12))' },
  { name: 'tools', type: 'Map(String, String)' },
]

function fill() {
  const block = createBlockBuilder(allTypes)
  const key = (text: string) => [sourceOf(text), 0, Buffer.byteLength(text)] as const
  const number = (name: string, row: number, value: number) => block.column(name, NumberColumn).set(row, value)
  const strings = (name: string, row: number, values: readonly string[]) => {
    const column = block.column(name, ArrayColumn)
    for (const value of values) column.open(row).string(value)
    column.added(values.length)
  }
  return { block, key, number, strings }
}

const defaults = {
  s: '',
  lc: '',
  b: false,
  u8: 0,
  u16: 0,
  u64: '0',
  t: '1970-01-01 00:00:00.000000',
  ns: null,
  n8: null,
  n16: null,
  n64: null,
  nt: null,
  a_s: [],
  a_lc: [],
  a_u8: [],
  usage: {},
  cost: {},
  tools: {},
}

describe('a Native block of every type', () => {
  test('stores values, and defaults before, between and after them', () => {
    const { block, key, number, strings } = fill()
    const row = 2
    block.column('s', StringColumn).text(row, ...key('text äöü 🙂'))
    block.column('lc', LowCardinalityColumn).text(row, ...key('GENERATION'))
    number('b', row, 1)
    number('u8', row, 255)
    number('u16', row, 65535)
    number('u64', row, Number.MAX_SAFE_INTEGER)
    number('t', row, 1_795_259_124_420_123)
    block.column('ns', NullableStringColumn).string(row, '')
    block.column('n8', NullableNumberColumn).set(row, 0)
    block.column('n16', NullableNumberColumn).set(row, 7)
    block.column('n64', NullableNumberColumn).set(row, 9)
    block.column('nt', NullableNumberColumn).set(row, 1_795_259_124_420_123)
    strings('a_s', row, ['', 'b', 'x'.repeat(300)])
    const names = block.column('a_lc', LowCardinalityArrayColumn)
    for (const name of ['k', '', 'k']) {
      const values = names.open(row)
      values.indexes.push(values.indexOf(...key(name)))
    }
    names.added(3)
    block.column('a_u8', ArrayColumn).open(row).byte(3)
    block.column('a_u8', ArrayColumn).added(1)
    const usage = block.column('usage', NumberMapColumn)
    usage.set(row, usage.keyIndexOf(...key('input')), 12)
    usage.set(row, usage.keyIndexOf(...key('big')), 2n ** 64n - 1n)
    const cost = block.column('cost', NumberMapColumn)
    cost.set(row, cost.keyIndexOf(...key('total')), 10_500_000_000)
    cost.set(row, cost.keyIndexOf(...key('credit')), -1n)
    block.column('tools', TextMapColumn).set(row, 'search', '{"a":1}')
    strings('a_s', 3, ['only'])

    const rows = engine.roundTrip(allTypes, block.finish(5))

    expect(rows).toEqual([
      defaults,
      defaults,
      {
        s: 'text äöü 🙂',
        lc: 'GENERATION',
        b: true,
        u8: 255,
        u16: 65535,
        u64: String(Number.MAX_SAFE_INTEGER),
        t: '2026-11-21 11:05:24.420123',
        ns: '',
        n8: 0,
        n16: 7,
        n64: '9',
        nt: '2026-11-21 11:05:24.420123',
        a_s: ['', 'b', 'x'.repeat(300)],
        a_lc: ['k', '', 'k'],
        a_u8: [3],
        usage: { input: '12', big: '18446744073709551615' },
        cost: { total: 0.0105, credit: -1e-12 },
        tools: { search: '{"a":1}' },
      },
      { ...defaults, a_s: ['only'] },
      defaults,
    ])
  })

  test('stores rows without any value', () => {
    expect(engine.roundTrip(allTypes, fill().block.finish(3))).toEqual([defaults, defaults, defaults])
  })

  test('stores an empty block, even after values were written to its columns', () => {
    const { block, key } = fill()
    block.column('lc', LowCardinalityColumn).indexOf(...key('never used'))
    expect(engine.roundTrip(allTypes, block.finish(0))).toEqual([])
    const again = Buffer.concat(block.finish(2))
    expect(again.equals(Buffer.concat(fill().block.finish(2)))).toBe(true)
  })

  test('a finished block stays unchanged while the next one is built', () => {
    const { block, key } = fill()
    const write = (text: string) => {
      for (let row = 0; row < 20_000; row++) {
        block.column('s', StringColumn).text(row, ...key(text))
        block.column('lc', LowCardinalityColumn).text(row, ...key(text))
      }
      return block.finish(20_000)
    }
    const first = write('first block')
    const copy = Buffer.concat(first)
    write('another one')
    expect(Buffer.concat(first).equals(copy)).toBe(true)
  })

  test('recycled memory yields the same block, and unshared parts can be transferred', () => {
    const specs = [{ name: 's', type: 'String' }]
    const block = createBlockBuilder(specs, createBufferPool(64 << 20))
    const make = () => {
      for (let row = 0; row < 3000; row++) block.column('s', StringColumn).string(row, 'y'.repeat(row))
      return block.finish(3000)
    }
    const first = make()
    const expected = Buffer.concat(first)
    const buffers = buffersOf(first)
    expect(new Set(buffers).size).toBe(buffers.length)
    block.recycle(first)
    const second = make()
    expect(buffersOf(second).some(buffer => buffers.includes(buffer))).toBe(true)
    expect(Buffer.concat(second).equals(expected)).toBe(true)
    expect(transferables(buffersOf(second))).toEqual([])
    expect(Buffer.concat(structuredClone(second)).equals(expected)).toBe(true)
  })
})

describe('String', () => {
  const specs = [{ name: 's', type: 'String' }]
  const column = () => {
    const block = createBlockBuilder(specs)
    return { block, s: block.column('s', StringColumn) }
  }

  test('stores texts of every length around the limits of copying, of the length prefix and of a segment', () => {
    const lengths = [...Array(130).keys(), 16_383, 16_384, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20]
    const { block, s } = column()
    const texts = lengths.map((length, i) => String.fromCharCode(97 + (i % 26)).repeat(length))
    const padded = sourceOf(`..${texts.join('')}..`)
    let at = 2
    texts.forEach((text, row) => {
      s.text(row, padded, at, at + text.length)
      at += text.length
    })
    const rows = engine.roundTrip(specs, block.finish(texts.length))
    expect(rows.map(row => row['s'])).toEqual(texts)
  })

  test('stores JavaScript strings of every length and Unicode plane', () => {
    const texts = ['', 'a', 'ä', 'x'.repeat(31), 'x'.repeat(32), '🙂'.repeat(8), `${'x'.repeat(30)}é`, '🙂'.repeat(5000)]
    const { block, s } = column()
    texts.forEach((text, row) => {
      s.string(row, text)
    })
    expect(engine.roundTrip(specs, block.finish(texts.length)).map(row => row['s'])).toEqual(texts)
  })

  test('invalid UTF-8 becomes U+FFFD and is counted', () => {
    const { block, s } = column()
    const bad = Uint8Array.from([0x61, 0xff, 0x62])
    const source = { bytes: bad, view: new DataView(bad.buffer) }
    s.text(0, source, 0, 3)
    s.text(1, source, 0, 2)
    const long = new Uint8Array(200).fill(0xc0)
    s.text(2, { bytes: long, view: new DataView(long.buffer) }, 0, 200)
    s.string(3, '\ud800')
    expect(block.repaired()).toBe(3)
    const rows = engine.roundTrip(specs, block.finish(4))
    expect(rows.map(row => row['s'])).toEqual(['a\ufffdb', 'a\ufffd', '\ufffd'.repeat(200), '\ufffd'])
    expect(block.repaired()).toBe(0)
  })

  test('stores 100,000 rows', () => {
    const { block, s } = column()
    for (let row = 0; row < 100_000; row += 3) s.string(row, `row ${row}`)
    const rows = engine.roundTrip(specs, block.finish(100_000))
    expect(rows.length).toBe(100_000)
    expect(rows[99_999]).toEqual({ s: 'row 99999' })
    expect(rows[99_998]).toEqual({ s: '' })
  })
})

describe('LowCardinality', () => {
  const specs = [
    { name: 'lc', type: 'LowCardinality(String)' },
    { name: 'a', type: 'Array(LowCardinality(String))' },
    { name: 'm', type: 'Map(LowCardinality(String), UInt64)' },
  ]

  // The dictionary contains the `count` distinct values and also the empty string.
  test.each([1, 254, 255, 256, 65_534, 65_535, 65_536])('stores %i distinct values', count => {
    const block = createBlockBuilder(specs)
    const lc = block.column('lc', LowCardinalityColumn)
    const a = block.column('a', LowCardinalityArrayColumn)
    const m = block.column('m', NumberMapColumn)
    for (let row = 0; row < count; row++) {
      const value = sourceOf(`v${row}`)
      const end = value.bytes.length
      lc.text(row, value, 0, end)
      const names = a.open(row)
      names.indexes.push(names.indexOf(value, 0, end))
      a.added(1)
      m.set(row, m.keyIndexOf(value, 0, end), row)
    }
    const rows = engine.roundTrip(specs, block.finish(count + 1))
    expect(rows.length).toBe(count + 1)
    for (const row of [0, count >> 1, count - 1]) {
      expect(rows[row]).toEqual({ lc: `v${row}`, a: [`v${row}`], m: { [`v${row}`]: String(row) } })
    }
    expect(rows[count]).toEqual({ lc: '', a: [], m: {} })
  })

  test('a key with invalid UTF-8 is repaired', () => {
    const block = createBlockBuilder(specs)
    const bytes = Uint8Array.from([0xff, 0x41])
    block.column('lc', LowCardinalityColumn).text(0, { bytes, view: new DataView(bytes.buffer) }, 0, 2)
    expect(block.repaired()).toBe(1)
    expect(engine.roundTrip(specs, block.finish(1))[0]).toMatchObject({ lc: '\ufffdA' })
  })
})

test('a column of another type, an absent column and an unknown type are refused with their name', () => {
  const block = createBlockBuilder([{ name: 's', type: 'String' }])
  expect(() => block.column('s', NumberColumn)).toThrow('column s is String, not a NumberColumn')
  expect(() => block.column('x', StringColumn)).toThrow('column x is absent')
  expect(() => createBlockBuilder([{ name: 'f', type: 'BFloat16' }])).toThrow('BFloat16')
})
