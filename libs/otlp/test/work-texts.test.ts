// The meter caches keys and reads each text in words of 32 bits. Wherever a text lies in memory, the meter's result must equal the result
// of a simple meter that reads byte by byte.
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { viewOf } from '../src/viewed.ts'
import { counting, dotsIn, indexIn, listing, meaningOf, modeling, naming, placed } from '../src/work-keys.ts'
import { TextMeter } from '../src/work-texts.ts'

const bytewise = {
  controls(text: Uint8Array): number {
    return Math.floor(text.filter(byte => byte < 0x20 && byte !== 0x0a && byte !== 0x09 && byte !== 0x0d).length / 4)
  },
  separators: (text: string) => text.replaceAll(/[^,[{]/g, '').length,
  /** A string ends at the next quote that has no backslash before it, or at the end of the text. */
  tokens(text: string): number {
    const outside = text.replaceAll(/"((?:[^"\\]|\\[\s\S])*)("|\\?$)/g, (_, inside: string, closing: string) => {
      // A backslash in the last byte escapes nothing and is part of the string.
      const all = closing === '"' ? inside : inside + closing
      const first = all.replace(/^[ \n\t\r]+/, '')[0] ?? ''
      return '[\\{'.includes(first) && first !== '' ? `,,${','.repeat(bytewise.separators(all))}` : ''
    })
    return bytewise.separators(outside)
  },
}

const letters = fc.string({ unit: fc.constantFrom(...'abcdefgh"\\,[{ \n\u0001\u0002\u0080\u00ff'), maxLength: 60 })
const prose = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('a longer piece of text é ') }, letters), { maxLength: 8 })

test('counts control characters, separators and tokens of a text at any offset', () => {
  fc.assert(
    fc.property(
      prose.map(parts => parts.join('')),
      fc.nat(9),
      fc.nat(9),
      fc.nat(9),
      (text, viewed, before, after) => {
        const bytes = Buffer.from(text, 'latin1')
        const room = Buffer.alloc(viewed + before + bytes.length + after + 16, '"')
        bytes.copy(room, 8 + viewed + before)
        const meter = new TextMeter(room.subarray(8 + viewed, 8 + viewed + before + bytes.length + after))
        const end = before + bytes.length
        expect(meter.controls(before, end)).toBe(bytewise.controls(bytes))
        expect(meter.separators(before, end)).toBe(bytewise.separators(text))
        expect(meter.tokens(before, end)).toBe(bytewise.tokens(text))
      },
    ),
    { numRuns: sized(3000, 600) },
  )
})

test('classifies a key equally on the first and on later look-ups, among many other keys', () => {
  const parts = fc.constantFrom(
    'metadata',
    'meta',
    '_details',
    'usage',
    'token',
    'model',
    'tags',
    'gen_ai.prompt',
    'gen_ai.usage',
    'cost',
    '0',
    '7',
    '0100',
    '9999999',
    '12a',
    'observation.usage_details',
    'genkit:name',
    'llm.tools',
    'llm',
    '.',
    'm',
    'x'.repeat(300),
  )
  const keys = fc.array(
    fc.array(parts, { maxLength: 5 }).map(all => all.join('.')),
    { minLength: 1, maxLength: 30 },
  )
  const placedKey = /^(gen_ai\.(prompt|completion|usage)|llm\.(input_messages|output_messages|token_count|tools))\./
  const countingKey = /^(gen_ai\.usage|llm\.token_count)\.|\.observation\.usage_details$/
  fc.assert(
    fc.property(keys, all => {
      for (const key of [...all, ...all]) {
        const read = key.slice(0, 256)
        const meaning =
          (/metadata|_details/.test(read) ? naming : 0) |
          (/tags/.test(read) ? listing : 0) |
          (/model/.test(read) || key === 'genkit:name' ? modeling : 0) |
          (countingKey.test(key) && key !== 'gen_ai.usage.cost' ? counting : 0) |
          (placedKey.test(read) ? placed : 0)
        const numbers = read.split('.').filter(part => /^\d+$/.test(part))
        const index = placedKey.test(read) ? Math.min(10_001, Math.max(0, ...numbers.map(Number))) : 0
        const bytes = Buffer.from(`"${key}"`)
        const asked = meaningOf(bytes, viewOf(bytes), 1, bytes.length - 1)
        expect([asked & 31, dotsIn(asked), indexIn(asked)]).toEqual([meaning, read.split('.').length - 1, index])
      }
    }),
    { numRuns: 500 },
  )
})
