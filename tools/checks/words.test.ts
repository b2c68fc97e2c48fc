// No text may contain a phrase that the glossary has retired.
import { expect, test } from 'vitest'
import { read, texts } from './texts.ts'

const glossary = read('docs/glossary.md')
const phrases = [...glossary.slice(glossary.indexOf('## Retired phrases')).matchAll(/^\| ([a-z][a-z ]+?) +\|/gm)]
  .map(([, phrase]) => phrase!)
  .filter(phrase => phrase !== 'phrase')

test('no source and no document has a retired phrase', () => {
  expect(phrases.length).toBeGreaterThan(10)
  const retired = new RegExp(`\\b(${phrases.map(phrase => phrase.replaceAll(' ', '\\s+(?:(?://|\\*)\\s*)?')).join('|')})\\b`, 'gi')
  const found = texts('ts,tsx,mjs,md,yaml,yml')
    .filter(({ path }) => path !== 'docs/glossary.md')
    .flatMap(({ path, text }) => [...text.matchAll(retired)].map(([phrase]) => `${path}: ${phrase}`))
  expect(found).toEqual([])
})
