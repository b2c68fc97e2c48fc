import fc from 'fast-check'
import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX, R50K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { expect, test } from 'vitest'
import { maxRun, piecesOf } from '../src/pieces.ts'

const patterns = [R50K_TOKEN_SPLIT_REGEX, CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX]
const unit = fc.string({
  unit: fc.constantFrom('a', 'A', 'é', '中', '\u0301', '7', '!', '/', "'", '\n', '\r', ' ', '\t', '😀'),
  minLength: 1,
  maxLength: 4,
})
const text = fc
  .array(fc.tuple(unit, fc.integer({ min: 1, max: 700 })), { minLength: 1, maxLength: 5 })
  .map(parts => parts.map(([part, times]) => part.repeat(times)).join(''))

test('the pieces of any text together are the text, and no piece contains a run above the limit', () => {
  fc.assert(
    fc.property(text, given => {
      const pieces = piecesOf(given)
      expect(pieces.join('')).toBe(given)
      const longest = Math.max(
        ...pieces.flatMap(piece => patterns.flatMap(pattern => piece.match(pattern) ?? [])).map(({ length }) => length),
      )
      expect(longest).toBeLessThanOrEqual(4 * maxRun)
    }),
    { numRuns: 300 },
  )
})

test('one walk finds the same runs as a search from each position', () => {
  const kinds = [`[\\p{L}\\p{M}]`, `[^\\s\\p{L}\\p{N}]`, `\\p{N}`, `\\s`, `[\\r\\n/]`]
  const anywhere = new RegExp(kinds.map(kind => `${kind}{${maxRun + 1},}`).join('|'), 'gu')
  const cutsOf = (text: string) => {
    let at = 0
    return piecesOf(text).map(piece => (at += piece.length))
  }
  const letters = fc.constantFrom('a', '\u0301', '/', '\n', ' ', '7', '!', '😀', '\ud800', '中')
  const runs = fc.array(fc.tuple(fc.array(letters, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 300 })), { maxLength: 8 })
  fc.assert(
    fc.property(runs, parts => {
      const text = parts.map(([unit, times]) => unit.join('').repeat(times)).join('')
      const expected: number[] = []
      for (const run of text.matchAll(anywhere)) {
        for (let cut = run.index + maxRun; cut < run.index + run[0].length; cut += maxRun) {
          if ((text.charCodeAt(cut) & 0xfc00) === 0xdc00) cut++
          expected.push(cut)
        }
      }
      expect(cutsOf(text)).toEqual([...expected, text.length])
    }),
    { numRuns: 200 },
  )
})
