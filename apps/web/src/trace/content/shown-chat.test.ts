// Tests the messages that a web worker sends to the page. Every part must be cloneable, and numbers must keep their written format.
import { describe, expect, test } from 'vitest'
import { blobOf } from './blob.ts'
import { parseExact } from './exact.ts'
import { mayBeChat, shownChatOf } from './shown-chat.ts'

const text = `{"messages":[
  {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\\"parcel\\":9007199254740993}"}}]},
  {"role":"tool","tool_call_id":"c1","content":""},
  {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGVsbG8="}}]}
]}`

describe('messages', () => {
  const messages = shownChatOf(parseExact(text))!

  test('hold values as texts, media as Blobs, and nothing that cannot be cloned', async () => {
    const cloned = structuredClone(messages)
    expect(cloned[0]?.parts).toEqual([{ kind: 'call', id: 'c1', name: 'search', said: { json: '{\n  "parcel": 9007199254740993\n}' } }])
    const [media] = cloned[2]!.parts
    expect(media?.kind === 'media' && media.source instanceof Blob && [media.source.type, await media.source.text()]).toEqual([
      'image/png',
      'hello',
    ])
  })

  test('a JSON value with a key `json` is not mistaken for a JSON text', () => {
    const said = shownChatOf([{ role: 'tool', tool_call_id: 'c1', content: '{"json":"a"}' }])![0]!.parts[0]
    expect(said).toMatchObject({ said: { json: '{\n  "json": "a"\n}' } })
  })

  test('are looked for in long texts that begin like chats', () => {
    expect([mayBeChat(text), mayBeChat('{"items":[{"id":1}]}')]).toEqual([true, false])
  })
})

test.each(['data:image/png;base64,', 'data:image/png;base64,%%%', 'data:,hello', 'https://a/b', ''])('%j is no Blob', source => {
  expect(blobOf(source)).toBeUndefined()
})
