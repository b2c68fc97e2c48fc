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

test('whatever the text, the pieces are the text, and no pattern finds a long run in them', () => {
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
