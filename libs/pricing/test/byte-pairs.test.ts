// Our tokenizer must count the same tokens as the library that supplies the vocabularies. The product does not use the library, because the
// library takes quadratic time for each piece (a text that the encoding's pattern does not split).
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PairCounter, ranksOf } from '../src/byte-pairs.ts'
import { createTokenCounter } from '../src/token-counter.ts'

const require = createRequire(import.meta.url)
const encodings = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'] as const

/**
 * Removes byte order marks from a test's text. gpt-tokenizer, the reference, decodes bytes before it looks them up, and thereby removes
 * these marks.
 */
const withoutMark = (text: string) => text.replaceAll('\ufeff', '')

const ofRange = (from: number, to: number) => fc.integer({ min: from, max: to }).map(point => String.fromCodePoint(point))
const letters = fc.oneof(
  ofRange(0x20, 0x7e),
  ofRange(0, 0x7ff),
  ofRange(0x4e00, 0x9fff),
  ofRange(0xac00, 0xd7a3),
  ofRange(0x1f300, 0x1f600),
  ofRange(0xd800, 0xdfff),
  fc.constantFrom(' ', '\n', '\r\n', '  ', "'s", "'LL", 'the', ' question', 'Über', '<|endoftext|>', '中文', '1234'),
)
const texts = fc.array(letters, { maxLength: 200 }).map(parts => withoutMark(parts.join('')))

describe.each(encodings)('%s', encoding => {
  test('counts the same number of tokens as the provider’s tokenizer for any text', () => {
    const library = require(`gpt-tokenizer/encoding/${encoding}`) as {
      countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number
    }
    const plain = { disallowedSpecial: new Set<string>() }
    const counter = createTokenCounter()
    fc.assert(
      fc.property(texts, text => {
        // The prefix makes the text invalid as JSON. Without the prefix, the counter would parse JSON and count the tokens of the value.
        const quoted = `x ${text}`
        expect(counter.count({ encoding, chat: null }, quoted)).toBe(library.countTokens(quoted, plain))
      }),
      { numRuns: 300 },
    )
  })
})

test('counts a byte order mark as the token that the vocabulary has for it', () => {
  const counter = createTokenCounter()
  const tokens = ['\ufeff', '\ufeffusing System'].map(text => counter.count({ encoding: 'o200k_base', chat: null }, text))
  expect(tokens).toEqual([1, 2])
})

test('joins the pair of the lowest rank first, and of equal ranks the first pair', () => {
  // "aaa" becomes aa·a, because the tokenizer joins the first pair first and no token has three letters.
  const pairs = new PairCounter(ranksOf(['a', 'b', 'aa', 'ab', 'bb', 'abab']))
  const counts = { '': 0, a: 1, aa: 1, aaa: 2, aaaa: 2, aab: 2, abab: 1, ababab: 2, bbb: 2, aabb: 2 }
  expect(Object.fromEntries(Object.keys(counts).map(text => [text, pairs.count(text)]))).toEqual(counts)
})

test('counts tokens that are not valid text, with long and short pieces in alternation', () => {
  const pairs = new PairCounter(ranksOf(['a', [0xe4, 0xb8], [0xad], 'aaaa', 'aa']))
  expect(['中', 'a'.repeat(4000), '中', 'aaa'].map(text => pairs.count(text))).toEqual([2, 1000, 2, 2])
})
