import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokens } from './lexer.ts'
import { quoteIdentifier, quoteString } from './quote.ts'

const text = fc.array(fc.constantFrom("'", '"', '`', '\\', '\0', '\n', 'n', 'x41', 'plain', ' ', 'é', '{', '--', '/*'), { maxLength: 20 })

test('reads quoted text in every form of quoting, and the tokens after it', () => {
  fc.assert(
    fc.property(
      text.map(pieces => pieces.join('')),
      any => {
        const doubled = (quote: string) => `${quote}${any.replaceAll('\\', '\\\\').replaceAll(quote, quote + quote)}${quote}`
        for (const quoted of [quoteString(any), quoteIdentifier(any), ...["'", '"', '`'].map(doubled)]) {
          const found = [...tokens(`${quoted}file`)].map(({ kind, value }) => [kind, value])
          expect(found).toEqual([
            [quoted.startsWith("'") ? 'string' : 'quoted', any],
            ['word', 'file'],
          ])
        }
      },
    ),
    { numRuns: 1000 },
  )
})

test('refuses an unclosed quote', () => {
  for (const open of ["'", "'a", "'a''", "'a\\'", '"', '"a\\', '`a``'])
    expect(() => [...tokens(open)]).toThrow(/opens at position 1 is not closed/)
})
