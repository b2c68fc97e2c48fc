// The layers of the mapping: each imports those below it, none imports itself in a circle. Architecture §3.
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { dialects } from '../src/dialects/registry.ts'
import type { Dialect, Ranked } from '../src/rules/dialect.ts'
import { circlesOf, importsOf, sourceFiles } from './imports.ts'

/** From the bottom up. Folders on one line know nothing of each other. */
const layers: readonly (readonly string[])[] = [['span-view'], ['rules'], ['dialects'], ['columns'], ['block', 'trace']]

const files = sourceFiles()
const layerOf = (file: string) => layers.findIndex(folders => folders.includes(file.split('/')[0]!))
const ownImports = files.flatMap(file => importsOf(file).flatMap(({ target }) => (target.endsWith('.ts') ? [[file, target] as const] : [])))

const graphOf = (edges: readonly (readonly [string, string])[]) => {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  return graph
}

type Subject = Exclude<keyof Dialect, 'name' | 'keys' | 'vocabulary' | 'attributes'>
const subjectsOf = (all: readonly Dialect[]): ReadonlySet<Subject> =>
  new Set(
    all.flatMap(dialect =>
      Object.keys(dialect).filter((key): key is Subject => !['name', 'keys', 'vocabulary', 'attributes'].includes(key)),
    ),
  )

test('every file but index.ts lies in a layer', () => {
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter(file => file !== 'index.ts' && layerOf(file) < 0)).toEqual([])
})

test('a layer imports only what is below it, or itself', () => {
  const isAllowed = (from: string, to: string) => layerOf(to) < layerOf(from) || from.split('/')[0] === to.split('/')[0]
  const wrong = ownImports.filter(([from, to]) => from !== 'index.ts' && !isAllowed(from, to))
  expect(wrong.map(([from, to]) => `${from} imports ${to}`)).toEqual([])
})

test('no file and no folder is in a circle', () => {
  expect(circlesOf(graphOf(ownImports))).toEqual([])
  const folders = ownImports.map(([from, to]) => [dirname(from), dirname(to)] as const).filter(([from, to]) => from !== to)
  expect(circlesOf(graphOf(folders))).toEqual([])
})

test('columns know the registry, and no dialect; a dialect does not know the registry', () => {
  const isDialect = (file: string) => /^dialects\/[^/]+\//.test(file)
  const wrong = ownImports.filter(
    ([from, to]) =>
      (isDialect(to) && !isDialect(from) && from !== 'dialects/registry.ts') || (isDialect(from) && to === 'dialects/registry.ts'),
  )
  expect(wrong.map(([from, to]) => `${from} imports ${to}`)).toEqual([])
})

test('every dialect is a folder, and in the registry', () => {
  const folders = new Set(files.filter(file => /^dialects\/[^/]+\//.test(file)).map(file => file.split('/')[1]))
  const registered = importsOf('dialects/registry.ts').flatMap(({ target }) => /^dialects\/([^/]+)\/dialect\.ts$/.exec(target)?.[1] ?? [])
  expect([...folders].sort()).toEqual(registered.sort())
  expect(dialects).toHaveLength(folders.size)
})

test('two rules of one subject never have the same rank', () => {
  const wrong: string[] = []
  const check = (subject: string, ranked: readonly Ranked<unknown>[]) => {
    const ranks = ranked.map(([rank]) => rank)
    if (new Set(ranks).size < ranks.length) wrong.push(`${subject}: ${ranks}`)
  }
  for (const subject of subjectsOf(dialects)) {
    check(
      subject,
      dialects.flatMap((dialect): readonly Ranked<unknown>[] => dialect[subject] ?? []),
    )
  }
  for (const subject of new Set(dialects.flatMap(({ attributes = {} }) => Object.keys(attributes)))) {
    check(
      subject,
      dialects.flatMap(({ attributes = {} }) => attributes[subject as keyof typeof attributes] ?? []),
    )
  }
  expect(wrong).toEqual([])
})

test('a circle is seen', () => {
  expect(
    circlesOf(
      graphOf([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'b'],
      ]),
    ),
  ).toEqual(['b', 'c'])
})
