// Checks the layers of the mapping (architecture §1). `dependency-cruiser.config.mjs` defines the allowed imports.
import { expect, test } from 'vitest'
import { dialects } from '../src/dialects/registry.ts'
import type { Dialect, Ranked } from '../src/rules/dialect.ts'
import { importsOf, sourceFiles } from './imports.ts'

const layers = ['span-view', 'rules', 'dialects', 'columns', 'block', 'trace']

const files = sourceFiles()

type Subject = Exclude<keyof Dialect, 'name' | 'keys' | 'vocabulary' | 'attributes'>
const subjectsOf = (all: readonly Dialect[]): ReadonlySet<Subject> =>
  new Set(
    all.flatMap(dialect =>
      Object.keys(dialect).filter((key): key is Subject => !['name', 'keys', 'vocabulary', 'attributes'].includes(key)),
    ),
  )

test('every file belongs to a layer', () => {
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter(file => !layers.includes(file.split('/')[0]!))).toEqual([])
})

test('every dialect has a folder and is in the registry', () => {
  const folders = new Set(files.filter(file => /^dialects\/[^/]+\//.test(file)).map(file => file.split('/')[1]))
  const registered = importsOf('dialects/registry.ts').flatMap(({ target }) => /^dialects\/([^/]+)\/dialect\.ts$/.exec(target)?.[1] ?? [])
  expect([...folders].sort()).toEqual(registered.sort())
  expect(dialects).toHaveLength(folders.size)
})

test('two rules of one subject never have the same rank', () => {
  const wrong: string[] = []
  const check = (subject: string, ranksOf: (dialect: Dialect) => readonly Ranked<unknown>[]) => {
    const ranks = dialects
      .flatMap(dialect => ranksOf(dialect).map(([rank]) => ({ rank, name: dialect.name })))
      .sort((a, b) => a.rank - b.rank)
    const twice = ranks.filter(({ rank }, place) => ranks[place - 1]?.rank === rank)
    const taken = ranks.map(({ rank, name }) => `${rank} ${name}`).join(', ')
    if (twice.length > 0)
      wrong.push(`${subject}: rank ${[...new Set(twice.map(({ rank }) => rank))].join(', ')} is given twice. Taken are: ${taken}.`)
  }
  for (const subject of subjectsOf(dialects)) check(subject, dialect => dialect[subject] ?? [])
  for (const subject of new Set(dialects.flatMap(({ attributes = {} }) => Object.keys(attributes)))) {
    check(`attributes.${subject}`, ({ attributes = {} }) => attributes[subject as keyof typeof attributes] ?? [])
  }
  expect(wrong).toEqual([])
})
