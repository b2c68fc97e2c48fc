import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineParameters } from '../../src/inline-parameters.ts'
import { openTestStore, type TestStore } from './store.ts'

let it: TestStore
beforeAll(async () => {
  it = await openTestStore()
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

const pieces = fc.constantFrom(
  "'",
  '\\',
  '\n',
  '\t',
  '\r',
  '\0',
  '`',
  '"',
  '{a:String}',
  '}',
  '\\N',
  '\\t',
  '%',
  '&',
  '+',
  'é',
  '日',
  '💥',
  ' ',
  'a',
  '--',
)
const anyText = fc.array(pieces, { maxLength: 12 }).map(parts => parts.join(''))
const sql = `SELECT {a:String} AS a, {list:Array(String)} AS list, {u:UInt64} AS u, {i:Int64} AS i, {f:Float64} AS f, {b:Bool} AS b,
  toString({days:Array(Date)}) AS days, {ids:Array(UInt64)} AS ids, '{a:String}''\\'{a:String}' AS \`{a:String}\`, 'x' IN {list:Array(String)} AS has`

test('short and long parameters have the same value', () =>
  fc.assert(
    fc.asyncProperty(
      anyText,
      fc.array(anyText, { maxLength: 5 }),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      async (a, list, u, i, f, b) => {
        const params = { a, list, u: String(u), i: String(i), f, b, days: ['2026-01-31', '1970-01-01'], ids: [u, 0n] }
        const [short] = await it.direct.query<object>(sql, params)
        expect(short).toMatchObject({ a, list, u: String(u), i: String(i), f: f + 0, b, '{a:String}': "{a:String}''{a:String}" })
        const [long] = await it.direct.query<object>(sql, { ...params, besides: 'x'.repeat(5_000) })
        expect(long).toEqual(short)
      },
    ),
    { numRuns: 60 },
  ))

// Each list is larger than a server's http_max_field_value_size. This setting limits the size of a form field.
test('a list above the maximum size of a form field works in queries, statements and inserts', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `${index}`.padStart(800, "'"))
  expect(inlineParameters('SELECT {ids:Array(String)}', { ids })).not.toContain('{')
  const [row] = await it.direct.query<object>('SELECT length({ids:Array(String)}) AS n, {ids:Array(String)}[1000] AS last', { ids })
  expect(row).toEqual({ n: '1000', last: ids.at(-1) })
  await it.direct.command('CREATE TABLE ids (id String, n UInt8) ENGINE = MergeTree ORDER BY id')
  await it.direct.command('INSERT INTO ids SELECT arrayJoin({ids:Array(String)}), 0', { ids })
  await it.direct.update({ table: 'ids', set: 'n = 1', where: 'id IN {ids:Array(String)}', params: { ids: ids.slice(1) } })
  expect(await it.direct.query('SELECT n, count() AS of FROM ids GROUP BY n ORDER BY n')).toEqual([
    { n: 0, of: '1' },
    { n: 1, of: '999' },
  ])
})

// URL encoding makes this list too long for a URL: the engine accepts URLs of up to 16 KiB, and many proxies accept only shorter URLs.
test('a list of characters that URL encoding lengthens works', async () => {
  const ids = Array.from({ length: 4 }, (_, index) => `${index}`.padStart(800, '日'))
  expect(await it.direct.query('SELECT arrayJoin({ids:Array(String)}) AS id', { ids })).toEqual(ids.map(id => ({ id })))
})

test('text outside of parameters stays unchanged', () => {
  const inlined = inlineParameters("SELECT '{a:String}\\'{a:String}', \"{\", `{a:String}`, {b:String}, { a:String }, {a:String}, '", {
    a: '{b:String}',
  })
  expect(inlined).toBe("SELECT '{a:String}\\'{a:String}', \"{\", `{a:String}`, {b:String}, { a:String }, CAST('{b:String}' AS String), '")
  expect(() => inlineParameters('{a:String}', { a: null })).toThrow('A parameter is null')
})
