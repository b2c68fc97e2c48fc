// Phrases that the glossary retires stay retired.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
const phrases = [...glossary.slice(glossary.indexOf('## Retired phrases')).matchAll(/^\| ([a-z][a-z ]+?) +\|/gm)]
  .map(([, phrase]) => phrase!)
  .filter(phrase => phrase !== 'phrase')

const apart = /(^|\/)(\.[^/]+|node_modules|dist|data|golden|recorded|fixtures|adr)(\/|$)/

test('no source and no document has a retired phrase', () => {
  expect(phrases.length).toBeGreaterThan(10)
  const retired = new RegExp(`\\b(${phrases.map(phrase => phrase.replaceAll(' ', '\\s+(?:(?://|\\*)\\s*)?')).join('|')})\\b`, 'gi')
  const found = globSync('**/*.{ts,tsx,mjs,md,yaml,yml}', { cwd: root, exclude: path => apart.test(path) })
    .filter(path => path !== 'docs/glossary.md')
    .flatMap(path => [...readFileSync(join(root, path), 'utf8').matchAll(retired)].map(([text]) => `${path}: ${text}`))
  expect(found).toEqual([])
})
