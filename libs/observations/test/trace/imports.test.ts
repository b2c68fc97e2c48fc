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

const light = ['money', 'usage-cells', 'usage-name'].map(name => `@svc-server/pricing/${name}`)

test('reading traces loads neither prices nor tokenizers, which the propagator would pay for at every start', () => {
  // Reading decimals, and names of usage, loads nothing else; all other parts of pricing do.
  const isArithmetic = (name: string) => light.includes(name)
  const unwanted = (name: string) =>
    (name.startsWith('@svc-server/pricing/') && !isArithmetic(name)) || ['gpt-tokenizer', 're2js'].includes(name)
  expect([...loadedWith('block/chunk-encoder.ts')].some(unwanted)).toBe(true)
  const loaded = [...loadedWith('trace/index.ts')]
  expect(loaded).toContain('columns/trace.ts')
  expect(loaded.filter(unwanted)).toEqual([])
})

test('what reading traces loads of pricing imports nothing else', async () => {
  const imports = light.map(name => readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8').match(/^import .*/gm))
  expect(imports).toEqual([["import type { Units } from './amounts.ts'"], null, ["import { cellOf, modalities } from './usage-cells.ts'"]])
})
