// Compares the index of a JSON text with the result of JSON.parse, for random values.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentOf, linesOf, pathOf, piecesOf, revealAt, unfoldFirst, unfolds } from './lines.ts'
import { type JsonIndex, kinds, scanJson, stringAt } from './scan.ts'

function said(text: string, { kinds: kindOf, starts, ends, keyStarts, keyEnds, nexts }: JsonIndex, node = 0): unknown {
  const children: number[] = []
  for (let child = node + 1; child < nexts[node]!; child = nexts[child]!) children.push(child)
  switch (kindOf[node]) {
    case kinds.object:
      return Object.fromEntries(
        children.map(each => [
          stringAt(text, keyStarts[each]!, keyEnds[each]!),
          said(text, { kinds: kindOf, starts, ends, keyStarts, keyEnds, nexts } as JsonIndex, each),
        ]),
      )
    case kinds.array:
      return children.map(each => said(text, { kinds: kindOf, starts, ends, keyStarts, keyEnds, nexts } as JsonIndex, each))
    case kinds.string:
      return stringAt(text, starts[node]!, ends[node]!)
    default:
      return JSON.parse(text.slice(starts[node]!, ends[node]!))
  }
}

test('the index agrees with JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2), (given, indent) => {
      const text = JSON.stringify(JSON.parse(given), undefined, indent)
      const index = scanJson(text)
      expect(index).toBeDefined()
      expect(JSON.stringify(said(text, index!))).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
})

test('a text that JSON.parse refuses has no index', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', 'true', ' ', '-', '"', '01', 'nul'), { maxLength: 8 }),
      pieces => {
        const text = pieces.join('')
        const parses = (() => {
          try {
            JSON.parse(text)
            return true
          } catch {
            return false
          }
        })()
        expect([text, scanJson(text) !== undefined]).toEqual([text, parses])
      },
    ),
  )
})

test('1,400 levels of nesting are indexed', () => {
  const text = `${'[{"a":'.repeat(700)}1${'}]'.repeat(700)}`
  const index = scanJson(text)!
  const document = documentOf(text, index)
  unfoldFirst(document)
  revealAt(document, text.indexOf('1'))
  expect(linesOf(document, 80)).toHaveLength(1_401)
  expect(pathOf(document, 1_400)).toBe('[0].a'.repeat(700))
})

test('a string that contains JSON unfolds into the JSON, and a string with line breaks into its lines', () => {
  const text = JSON.stringify({ id: 1, args: '{"n":12345678901234567890}', poem: 'one\ntwo' })
  const document = documentOf(text, scanJson(text)!)
  unfoldFirst(document)
  const before = linesOf(document, 80)
  expect(before.map(({ node }) => unfolds(document, node))).toEqual([true, false, true, true])
  for (const { node } of before) document.open.add(node)
  const lines = linesOf(document, 80)
  const shown = lines.map(({ document: of, node, piece }) => piece ?? of.text.slice(of.index.starts[node], of.index.ends[node]))
  expect(shown.slice(3)).toEqual(['{"n":12345678901234567890}', '12345678901234567890', JSON.stringify('one\ntwo'), 'one', 'two'])
})

test('the pieces add up to the whole text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 4, max: 30 }), (text, width) => {
      const flat = text.replaceAll('\n', ' ')
      expect(piecesOf(flat, width).join('')).toBe(flat)
    }),
  )
})
