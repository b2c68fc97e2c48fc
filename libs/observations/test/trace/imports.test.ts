import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { importsOf } from '../imports.ts'

function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  if (!file.endsWith('.ts')) return seen
  for (const { target, isType } of importsOf(file)) if (!isType) loadedWith(target, seen)
  return seen
}

const light = ['money', 'usage-cells', 'usage-name'].map(name => `@svc-server/pricing/${name}`)

test('the trace reader loads neither prices nor tokenizers, which would slow down every start of the propagator', () => {
  // The trace reader may load these pricing modules, because they load no modules outside of the list `light`.
  const isArithmetic = (name: string) => light.includes(name)
  const unwanted = (name: string) =>
    (name.startsWith('@svc-server/pricing/') && !isArithmetic(name)) || ['gpt-tokenizer', 're2js'].includes(name)
  expect([...loadedWith('block/chunk-encoder.ts')].some(unwanted)).toBe(true)
  const loaded = [...loadedWith('trace/index.ts')]
  expect(loaded).toContain('columns/trace.ts')
  expect(loaded.filter(unwanted)).toEqual([])
})

test('the pricing modules that the trace reader loads import nothing else', async () => {
  const imports = light.map(name => readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8').match(/^import .*/gm))
  expect(imports).toEqual([["import type { Units } from './amounts.ts'"], null, ["import { cellOf, modalities } from './usage-cells.ts'"]])
})
