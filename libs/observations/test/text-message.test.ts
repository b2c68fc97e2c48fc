import { sourceOf } from '@svc-server/column-store/native'
import { expect, test } from 'vitest'
import { isTextMessage } from '../src/columns/tools/json-lists.ts'

function isMessage(text: string, behind = ''): boolean {
  const { length } = sourceOf(text).bytes
  return isTextMessage(sourceOf(`"${text}${behind}`), 1, 1 + length)
}

test.each([
  '{"role":"assistant","content":"Yes."}',
  ' { "role" : "assistant" ,\n"content" : "" }',
  '{"role":"tool","content":"Says \\"no\\", and ends in \\\\"}',
])('%s is a message with text alone', text => {
  expect(isMessage(text)).toBe(true)
  expect(isMessage(text, '","tool_calls":[]}')).toBe(true)
})

test.each([
  '',
  '{}',
  '[{"role":"assistant","content":"Yes."}]',
  '{"role":"assistant","content":"Yes.","tool_calls":[{"name":"search"}]}',
  '{"role":"assistant","content":[{"type":"tool_use","name":"search"}]}',
  '{"role":"assistant","content":null}',
  '{"role":"assistant","name":"search","content":"Yes."}',
  '{"content":"Yes.","role":"assistant"}',
  '{"role":"assistant","content":"Yes."',
  '{"role":"assistant","content":"Yes.\\"}',
  '{"role":"assistant","content":"Yes',
  '{"role":"assistant"}',
  `{"role":"assistant","content":"${'\\"'.repeat(100)}"}`,
])('%s is not a message with text alone', text => {
  expect(isMessage(text)).toBe(false)
  expect(isMessage(text, '"}')).toBe(false)
})
