import { sourceOf } from '@svc-server/column-store/native'
import { expect, test } from 'vitest'
import { ByteMemo } from '../src/span-view/byte-memo.ts'
import { wireText } from '../src/span-view/json-text.ts'

test('caches results by bytes, but bounds their number and does not cache long values', () => {
  let made = 0
  const memo = new ByteMemo((source, start, end) => {
    made++
    return wireText(source, start, end)
  })
  const of = (text: string) => {
    const source = sourceOf(` ${text} `)
    return memo.of(source, 1, source.bytes.length - 1)
  }
  const asked = (texts: readonly string[]) => {
    made = 0
    expect(texts.map(of)).toEqual(texts)
    return made
  }
  expect(asked(['a', 'b', '', 'a', 'b', ''])).toBe(3)
  const long = 'x'.repeat(257)
  expect(asked([long, long])).toBe(2)
  const many = Array.from({ length: 3000 }, (_, i) => `value ${i}`)
  expect(asked(many)).toBe(3000)
  expect(asked(['a', many[0]!, many.at(-1)!])).toBe(2)
})
