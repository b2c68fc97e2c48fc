// Every reference in a source or a document must have a target: a section of the contract or of the architecture, a fault, or a decision.
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root, texts } from './texts.ts'

const sources = texts('ts,tsx,mjs,md,yaml,yml,tpl')

function found(pattern: RegExp): { path: string; cited: string }[] {
  return sources.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(match => ({ path, cited: match[1]! })))
}

const headings = (path: string) => new Set([...read(path).matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number!))

/**
 * Returns the section numbers of a citation such as `§4.5`, `§§3.1, 9.3` or `§§16.2 to 16.4`. For `§9.4.7`, which cites item 7 of a list
 * in section 9.4, the result is 9.4.
 */
const numbersIn = (sections: string) => (sections.match(/\d+(?:\.\d+)*/g) ?? []).map(number => number.split('.').slice(0, 2).join('.'))

test.each([
  ['contract', 'docs/contract.md'],
  ['architecture', 'docs/architecture.md'],
])('every cited section of the %s exists', (book, document) => {
  const known = headings(document)
  // In the architecture, `2.8` cites an invariant: item 8 of the list in section 2.
  const isKnown = (number: string) => known.has(number) || (book === 'architecture' && known.has(number.split('.')[0]!))
  const cited = found(new RegExp(`\\b${book} §+ ?(\\d+(?:\\.\\d+)*(?:(?:, | and | to |–)§?\\d+(?:\\.\\d+)*)*)`, 'gi'))
  expect(cited.filter(({ cited }) => !numbersIn(cited).every(isKnown))).toEqual([])
  expect(cited.length).toBeGreaterThan(20)
})

test('a document that is cited with a section exists', () => {
  expect(found(/([\w./-]+\.md)`? §/g).filter(({ cited }) => !existsSync(join(root, cited)))).toEqual([])
})

const faults = new Map(
  [...read('docs/faults.md').matchAll(/^\| (F\d\d) .*\|([^|]+)\|$/gm)].map(([, id, tests]) => [
    id!,
    [...tests!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
  ]),
)

test('every fault has a line, and its tests exist and name it', () => {
  expect([...faults.keys()]).toEqual(Array.from({ length: 53 }, (_, at) => `F${String(at + 1).padStart(2, '0')}`))
  const tests = [...faults].flatMap(([id, paths]) => paths.map(path => ({ id, path })))
  expect(tests.length).toBeGreaterThan(faults.size)
  // F10 is the only fault whose id is in no test.
  expect(tests.filter(({ id, path }) => !existsSync(join(root, path)) || (id !== 'F10' && !read(path).includes(id)))).toEqual([])
})

test('every fault that is cited is listed', () => {
  expect(found(/(?<![\w\\#%/+=-])(F\d\d)(?![\w/+=])/g).filter(({ cited }) => !faults.has(cited))).toEqual([])
})

test('every cited decision exists', () => {
  const decisions = new Set(globSync('docs/adr/*.md', { cwd: root }).map(path => path.slice('docs/adr/'.length, 'docs/adr/'.length + 4)))
  expect(found(/\bADRs? (\d{4})/g).filter(({ cited }) => !decisions.has(cited))).toEqual([])
})
