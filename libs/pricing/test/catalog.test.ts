import { describe, expect, test } from 'vitest'
import { createCatalog } from '../src/catalog.ts'
import { catalogSnapshot } from '../src/snapshot.ts'
import { catalogOf, model, tier } from './catalogs.ts'

const idOf = (catalog: ReturnType<typeof catalogOf>, name: string, projectId = 'p', startTimeUs = 0) =>
  catalog.match(projectId, name, startTimeUs)?.id ?? null

describe('a snapshot', () => {
  const a = model({ id: 'a', tiers: [tier({ input: '1', output: '2' })] })
  const b = model({ id: 'b' })
  const prompts = [
    { id: 'x', projectId: 'p', name: 'n', version: 10 },
    { id: 'y', projectId: 'p', name: 'n', version: 9 },
  ]

  test('has the same version whatever the order of its content', () => {
    const { version } = catalogSnapshot({ models: [a, b], prompts })
    const reordered = { ...a, tiers: [tier({ output: '2', input: '1' })] }
    expect(version).toMatch(/^[0-9a-f]{32}$/)
    expect(catalogSnapshot({ models: [b, reordered], prompts: prompts.toReversed() }).version).toBe(version)
  })

  test.each([
    ['a price', { models: [model({ id: 'a', tiers: [tier({ input: '1', output: '3' })] }), b], prompts }],
    ['a pattern', { models: [a, model({ id: 'b', matchPattern: 'x' })], prompts }],
    ['a prompt', { models: [a, b], prompts: prompts.slice(1) }],
  ])('has another version with another %s', (_, content) => {
    expect(catalogSnapshot(content).version).not.toBe(catalogSnapshot({ models: [a, b], prompts }).version)
  })

  test('stays equal as JSON and as a message to a thread', () => {
    const snapshot = catalogSnapshot({ models: [a, b], prompts })
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
    expect(structuredClone(snapshot)).toEqual(snapshot)
  })
})

describe('§8.1 model matching', () => {
  test('a project’s own models precede managed ones, even with an older start date', () => {
    const catalog = catalogOf([
      model({ id: 'all', startDate: '2026-01-01T00:00:00Z' }),
      model({ id: 'own', projectId: 'p' }),
      model({ id: 'foreign', projectId: 'q', startDate: '2026-02-01T00:00:00Z' }),
    ])
    expect(idOf(catalog, 'm')).toBe('own')
    expect(idOf(catalog, 'm', 'q')).toBe('foreign')
    expect(idOf(catalog, 'm', 'r')).toBe('all')
  })

  const dated = [
    model({ id: 'never' }),
    model({ id: 'old', startDate: '2025-01-01T00:00:00Z' }),
    model({ id: 'new', startDate: '2027-01-01T00:00:00Z' }),
  ]

  test('the newest start date wins, a model without a start date is last, and the date of the span has no effect', () => {
    expect(idOf(catalogOf(dated), 'm', 'p', Date.parse('2026-06-01') * 1000)).toBe('new')
    expect(idOf(catalogOf(dated.slice(0, 2)), 'm')).toBe('old')
  })

  test('with startDates `reached`, skips models that start after the span', () => {
    const catalog = catalogOf(dated, { startDates: 'reached' })
    const at = (iso: string) => idOf(catalog, 'm', 'p', Date.parse(iso) * 1000)
    expect([at('2024-12-31T23:59:59Z'), at('2025-01-01T00:00:00Z'), at('2026-12-31'), at('2027-01-01')]).toEqual([
      'never',
      'old',
      'old',
      'new',
    ])
    expect(idOf(catalogOf(dated.slice(1), { startDates: 'reached' }), 'm')).toBeNull()
  })

  test('a stored row wins over the shipped list', () => {
    expect(idOf(catalogOf([model({ id: 'a', shipped: true }), model({ id: 'b' })]), 'm')).toBe('b')
  })

  test('an empty, too long or unknown name matches nothing', () => {
    const catalog = catalogOf([model({ matchPattern: '.' })])
    expect([idOf(catalog, ''), idOf(catalog, 'x'.repeat(257)), idOf(catalog, 'x'.repeat(256))]).toEqual([null, null, 'm'])
    expect(idOf(catalogOf([model()]), 'other')).toBeNull()
    expect(idOf(catalogOf([]), 'm')).toBeNull()
  })

  test('a full cache does not change the results', () => {
    const catalog = catalogOf([model({ matchPattern: '^m\\d+$' }), model({ id: 'own', projectId: 'q', matchPattern: '5' })], {
      maxCachedNames: 3,
    })
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 10; i++) {
        expect(idOf(catalog, `m${i}`)).toBe('m')
        expect(idOf(catalog, `m${i}`, 'q')).toBe(i === 5 ? 'own' : 'm')
        expect(idOf(catalog, `x${i}`)).toBeNull()
      }
    }
  })
})

describe('PostgreSQL patterns', () => {
  test.each([
    ['(?i)^gpt-4o$', 'GPT-4o', true],
    ['^gpt-4o$', 'GPT-4o', false],
    ['(?c)^gpt-4o$', 'GPT-4o', false],
    ['(?ic)gpt', 'GPT', false],
    ['(?is)^a.b$', 'A\nB', true],
    ['^a.b$', 'a\nb', true],
    ['gpt', 'my-gpt-4', true],
    ['^(gpt|o)[-_ ]?\\d+$', 'o3', true],
    ['\\mmini\\M', 'gpt-mini-1', true],
    ['\\ymini\\y', 'gptmini', false],
    ['\\Agpt\\Z', 'gpt', true],
    ['^[[:alpha:]]+$', 'gpt', true],
    ['^[[:alpha:]]+$', 'gpt4', false],
    ['^gpt\\\\m$', 'gpt\\m', true],
  ])('%s on %j: %s', (matchPattern, name, matches) => {
    const catalog = catalogOf([model({ matchPattern })])
    expect(catalog.warnings).toEqual([])
    expect(catalog.match('p', name, 0) !== null).toBe(matches)
  })

  test.each(['(', '(?=a)', '(a)\\1', '(?x) a', 'a{5000}', `${'a'.repeat(2001)}`, '[z-a]', '\\'])(
    '%s is rejected with a warning, and other models are unaffected',
    matchPattern => {
      const catalog = catalogOf([
        model({ id: 'a' }),
        model({ id: 'b', modelName: 'bad', matchPattern }),
        model({ id: 'c', matchPattern: '^c$' }),
      ])
      expect(catalog.warnings).toEqual([expect.stringMatching(/^Model b \(bad\): its match pattern is refused/)])
      expect([idOf(catalog, 'm'), idOf(catalog, 'c')]).toEqual(['a', 'c'])
    },
  )

  test.each(['(a*)*b', '(a|a)*b', '(a|aa)+$', '(.*a){20}', 'a*a*a*a*a*a*a*b'])('%s matches a hostile name in linear time', matchPattern => {
    // A pattern matcher with backtracking would never finish this match.
    expect(catalogOf([model({ matchPattern })]).match('p', 'a'.repeat(255), 0) === undefined).toBe(false)
  })

  test('an unpaired surrogate in a name is an ordinary character', () => {
    expect(catalogOf([model({ matchPattern: '^x' })]).match('p', 'x\ud800', 0)?.id).toBe('m')
  })
})

test('finds prompts by project, name and version, and does not look up version 0', () => {
  const prompts = [
    { id: 'x1', projectId: 'p', name: 'n', version: 1 },
    { id: 'x2', projectId: 'p', name: 'n', version: 2 },
    { id: 'zero', projectId: 'p', name: 'n', version: 0 },
    { id: 'proto', projectId: '__proto__', name: '__proto__', version: 1 },
  ]
  const { promptId } = createCatalog(catalogSnapshot({ models: [], prompts }))
  expect([promptId('p', 'n', 1), promptId('p', 'n', 2)]).toEqual(['x1', 'x2'])
  expect([promptId('p', 'n', 3), promptId('p', 'N', 1), promptId('q', 'n', 1), promptId('p', 'n', 0)]).toEqual([null, null, null, null])
  expect([promptId('__proto__', '__proto__', 1), promptId('constructor', 'n', 1)]).toEqual(['proto', null])
})
