import { expect, test } from 'vitest'
import { createKnownPrompts } from './known.ts'

test('a response is cached while no prompt changes, and not if one changes during the read', async () => {
  let changes = 0
  let reads = 0
  const known = createKnownPrompts({ changesOf: table => (table === 'prompts' ? changes : 0) })
  const read = async () => ({ text: `${++reads}` })
  expect([(await known.get('a', read)).text, (await known.get('a', read)).text, (await known.get('b', read)).text]).toEqual(['1', '1', '2'])
  changes++
  const during = async () => {
    changes++
    return read()
  }
  expect([(await known.get('a', during)).text, (await known.get('a', read)).text, (await known.get('a', read)).text]).toEqual([
    '3',
    '4',
    '4',
  ])
})

test('every read queries the store if other processes write to it', async () => {
  let reads = 0
  const known = createKnownPrompts({})
  const read = async () => ({ text: `${++reads}` })
  expect([(await known.get('a', read)).text, (await known.get('a', read)).text]).toEqual(['1', '2'])
})
