import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasLongName, maxNameLength } from './long-names.ts'

function hasAny(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasAny)
  return Object.entries(value).some(([name, of]) => name.length > maxNameLength || hasAny(of))
}

const near = fc.integer({ min: -3, max: 3 }).map(by => maxNameLength + by)
const length = fc.oneof({ weight: 3, arbitrary: fc.nat(40) }, near, fc.nat(3 * maxNameLength))
const text = fc
  .tuple(length, fc.constantFrom('k', '"', '\\', '\\"', ':', 'é', '\u0001', '":1,"'))
  .map(([of, unit]) => unit.repeat(of).slice(0, of))
const { value } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.integer(), fc.constant(null), text),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}))

describe('F50 · names that V8 does not hash', () => {
  test('are found at any position, and no other text is reported', () => {
    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', '\n  '), fc.boolean(), (any, space, isWide) => {
        const plain = JSON.stringify(any, null, space)
        // Adds many spaces between two strings. The spaces are between two quotes, so they look like the content of one long string.
        const written = isWide ? plain.replaceAll(/^[[{]|,\n/g, found => found + ' '.repeat(20_000)) : plain
        expect(hasLongName(written)).toBe(hasAny(any))
      }),
      { numRuns: 2000 },
    )
  })
  test('count an escape as one character', () => {
    const escaped = (count: number) => `{"${'\\u006b'.repeat(count)}" : 1}`
    expect([hasLongName(escaped(maxNameLength)), hasLongName(escaped(maxNameLength + 1))]).toEqual([false, true])
  })
  test('are searched in linear time in invalid JSON', () => {
    for (const piece of ['"', '\\"', '\\', '":', '{"', 'k']) {
      const startedMs = performance.now()
      hasLongName(piece.repeat(4_000_000 / piece.length))
      expect(performance.now() - startedMs).toBeLessThan(2_000)
    }
  })
})
