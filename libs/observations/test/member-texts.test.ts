// F26: A project can have a thousand price conditions that read members of the same JSON text.
import { expect, test } from 'vitest'
import { MemberTexts } from '../src/span-view/json-text.ts'

test('reads a text once, until it is replaced', () => {
  let asked = 0
  const textOf = (text: string) => () => {
    asked++
    return text
  }
  const members = new MemberTexts()
  const first = textOf('{"tier":"priority","n":1.50,"list":[1]}')
  expect(['tier', 'n', 'list', 'toString', 'absent'].map(name => members.get(name, first))).toEqual([
    'priority',
    '1.50',
    undefined,
    undefined,
    undefined,
  ])
  expect(asked).toBe(1)
  for (const none of ['[1]', 'no JSON', '']) {
    members.clear()
    expect(['0', 'tier'].map(name => members.get(name, textOf(none)))).toEqual([undefined, undefined])
  }
  expect(asked).toBe(4)
})
