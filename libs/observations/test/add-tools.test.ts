// The mapping copies a compact JSON input into the result without parsing it. The test compares this result with the result of parsing and
// serializing the input.
import { sourceOf } from '@svc-server/column-store/native'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addTools, withTools } from '../src/columns/tools/with-tools.ts'
import { definitionsOf } from '../src/rules/tool-definitions.ts'
import { Content } from '../src/span-view/content.ts'

const added = [
  { name: 'search', description: 'finds' },
  { type: 'function', function: { name: 'fetch', parameters: {} } },
]
const tool = fc.constantFrom(...added, { name: 'own', parameters: { type: 'object' } }, { googleSearch: {} }, 'name', 5)
const tools = fc.oneof(
  fc.array(tool, { maxLength: 3 }),
  fc.array(tool, { maxLength: 3 }).map(list => JSON.stringify(list)),
  fc.constant(null),
)
const content = fc.oneof(fc.string(), fc.constantFrom('"tools":', 'Grüße'), fc.constant({ type: 'function', function: { name: 'called' } }))
const message = fc.record({ role: fc.constantFrom('user', 'tool'), content, tools }, { requiredKeys: ['role', 'content'] })
const messages = fc.array(message, { maxLength: 3 })
const config = fc.record({ tools, functions: tools }, { requiredKeys: [] })
const input = fc.oneof(
  messages,
  fc.record({ model: fc.string(), messages, tools, functions: tools, config }, { requiredKeys: [] }),
  fc.constantFrom('text', 5, null),
)

function addTo(text: string, copies: boolean) {
  const content = new Content()
  const { bytes, view } = sourceOf(text)
  if (copies) content.string(text)
  else content.range({ bytes, view }, 0, bytes.length)
  const tools = addTools(content, added)
  return tools === undefined ? undefined : { text: content.text(), definitions: definitionsOf({ tools }) }
}

test('an input that is copied gets the same tools and the same definitions', () => {
  fc.assert(
    fc.property(input, fc.boolean(), fc.constantFrom(undefined, 1), (given, copies, spaces) => {
      const text = JSON.stringify(given, null, spaces)
      const actual = addTo(text, copies)
      if (actual === undefined) return
      const expected = withTools(text, added)!
      expect(actual.text).toBe(expected.text)
      expect(actual.definitions).toEqual(definitionsOf(expected.value))
    }),
    { numRuns: sized(3000, 600) },
  )
})

test.each([
  ['[]', '{"messages":[],"tools":'],
  ['{}', '{"tools":'],
  ['{"model":"m"}', '{"model":"m","tools":'],
  ['[{"role":"user","content":"hi"}]', '{"messages":[{"role":"user","content":"hi"}],"tools":'],
  ['{"tools":[{"name":"own"}],"model":"m"}', '{"tools":[{"name":"own"},'],
])('%s is copied', (text, start) => {
  expect(addTo(text, false)?.text.startsWith(start)).toBe(true)
})
