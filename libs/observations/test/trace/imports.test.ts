import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../../src')
const statement = /^(?:import|export)\s(?!type\b)[^']*?from '([^']+)'|^import '([^']+)'/gm

/** Files and packages that are loaded with a file. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, from, bare] of readFileSync(file, 'utf8').matchAll(statement)) {
    const specifier = (from ?? bare)!
    if (specifier.startsWith('.')) loadedWith(join(dirname(file), specifier), seen)
    else seen.add(specifier)
  }
  return seen
}

const names = (entry: string) => [...loadedWith(join(source, entry))].map(name => (name.startsWith(source) ? relative(source, name) : name))

test('reading traces loads neither prices nor tokenizers, which the propagator would pay for at every start', () => {
  const unwanted = (name: string) => name.startsWith('@svc-server/pricing/') || ['gpt-tokenizer', 're2js'].includes(name)
  expect(names('index.ts').some(unwanted)).toBe(true)
  const loaded = names('trace/index.ts')
  expect(loaded).toContain('columns/trace.ts')
  expect(loaded.filter(unwanted)).toEqual([])
})
