// Each change in the changelog must be one short sentence.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const longest = 200
const changes = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('- '))

test('a change is one sentence', () => {
  expect(changes.length).toBeGreaterThan(20)
  expect(changes.filter(change => change.length > longest || !change.endsWith('.') || /\. [A-Z]/.test(change))).toEqual([])
})
