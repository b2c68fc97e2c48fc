import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { importsOf } from '../imports.ts'

/** Files and packages that are loaded with a file. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  if (!file.endsWith('.ts')) return seen
  for (const { target, isType } of importsOf(file)) if (!isType) loadedWith(target, seen)
  return seen
}

test('reading traces loads neither prices nor tokenizers, which the propagator would pay for at every start', () => {
  // Reading decimals loads nothing else; all other parts of pricing do.
  const isArithmetic = (name: string) => name === '@svc-server/pricing/money'
  const unwanted = (name: string) =>
    (name.startsWith('@svc-server/pricing/') && !isArithmetic(name)) || ['gpt-tokenizer', 're2js'].includes(name)
  expect([...loadedWith('block/chunk-encoder.ts')].some(unwanted)).toBe(true)
  const loaded = [...loadedWith('trace/index.ts')]
  expect(loaded).toContain('columns/trace.ts')
  expect(loaded.filter(unwanted)).toEqual([])
})

test('what reading traces loads of pricing has no imports of its own', async () => {
  const money = readFileSync(fileURLToPath(import.meta.resolve('@svc-server/pricing/money')), 'utf8')
  expect(money.match(/^import .*/gm)).toEqual(["import type { Units } from './amounts.ts'"])
})
