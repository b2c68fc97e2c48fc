import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createTokenCounter } from '../src/token-counter.ts'
import { tokenizerOf } from '../src/tokenizers.ts'

const tokenizer = tokenizerOf({
  tokenizerId: 'openai',
  tokenizerConfig: { tokenizerModel: 'gpt-4o', tokensPerMessage: 3, tokensPerName: 1 },
})!
const count = (value: unknown) => createTokenCounter().count(tokenizer, typeof value === 'string' ? value : JSON.stringify(value))
const message = (...content: unknown[]) => [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...content] }]

const bytes = randomBytes(3000)
const base64 = bytes.toString('base64')

/** Message parts with media, as providers and frameworks write them. */
const parts: Readonly<Record<string, unknown>> = {
  'OpenAI image_url': { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
  'OpenAI image_url, a text': { type: 'image_url', image_url: `data:image/png;base64,${base64}` },
  'OpenAI image at an address': { type: 'image_url', image_url: { url: 'https://example.org/cat.png' } },
  'OpenAI responses': { type: 'input_image', image_url: `data:image/webp;base64,${base64}` },
  'OpenAI sound': { type: 'input_audio', input_audio: { data: base64, format: 'wav' } },
  'OpenAI file': { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` } },
  'Anthropic picture': { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
  'Anthropic picture at an address': { type: 'image', source: { type: 'url', url: 'https://example.org/cat.png' } },
  'Anthropic document': { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
  'Anthropic, in the result of a tool': {
    type: 'tool_result',
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }],
  },
  'Gemini inline_data': { inline_data: { mime_type: 'image/png', data: base64 } },
  'Gemini inlineData': { inlineData: { mimeType: 'audio/mp3', data: base64 } },
  'Gemini file': { fileData: { mimeType: 'video/mp4', fileUri: 'gs://bucket/video.mp4' } },
  'Bedrock picture': { image: { format: 'png', source: { bytes: base64 } } },
  'Bedrock document': { document: { format: 'pdf', name: 'a', source: { bytes: { type: 'Buffer', data: [...bytes.subarray(0, 200)] } } } },
  'AI SDK file': { type: 'file', mediaType: 'image/png', data: base64 },
  'AI SDK picture as a list of bytes': {
    type: 'image',
    image: Object.fromEntries([...bytes.subarray(0, 300)].map((byte, i) => [i, byte])),
  },
  'blob of the conventions': { type: 'blob', modality: 'image', mime_type: 'image/png', content: base64 },
  'uri of the conventions': { type: 'uri', modality: 'image', mime_type: 'image/png', uri: 'https://example.org/cat.png' },
  'bytes of Python': { type: 'image', data: [...bytes.subarray(0, 100)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('') },
  'JSON in the result of a tool': { role: 'tool', content: JSON.stringify({ screenshot: base64 }) },
  'an answer with a picture': { b64_json: base64 },
}

describe('8.4, 2.15: media are not counted as text', () => {
  test.each(Object.entries(parts))('%s: gives no estimate if the message has little text', (_, part) => {
    expect(count(message(part))).toBeUndefined()
  })
  test('gives no estimate for a text with an image in it', () => {
    expect(count(`Look: ![cat](data:image/png;base64,${base64}) is a cat`)).toBeUndefined()
    expect(count(base64)).toBeUndefined()
  })
  test('counts a fixed number of tokens for an image if the message has much text', () => {
    const text = 'How far is it from here to the end of the world? '.repeat(200)
    const alone = count(message({ type: 'text', text }))!
    expect(alone).toBeGreaterThan(2000)
    const picture = count(message({ type: 'text', text }, parts['Anthropic picture']))!
    expect(picture - alone).toBeGreaterThan(700)
    expect(picture - alone).toBeLessThan(900)
    expect(count(message({ type: 'text', text }, parts['OpenAI sound']))).toBeUndefined()
  })
  test.each<[string, unknown]>([
    [
      'a document that is text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'The hours are nine to five.' } },
    ],
    ['a file’s name', { type: 'text', text: 'see file report.pdf, image 3 and "image" 4' }],
    ['a long word', { type: 'text', text: 'a'.repeat(300) }],
    ['a schema that says image', { name: 'draw', parameters: { type: 'object', properties: { image: { type: 'string' } } } }],
    ['numbers', { type: 'text', text: '1, 2, 3, '.repeat(30) }],
  ])('counts as text: %s', (_, part) => {
    expect(count(message(part))).toBe(createTokenCounter().count(tokenizer, JSON.stringify(message(part))))
    expect(count(message(part))).toBeGreaterThan(20)
  })
  test('does not count an embedding vector', () => {
    const vector = Array.from({ length: 500 }, (_, i) => i / 1000 + 0.0001)
    expect(count({ embedding: vector })).toBeLessThan(20)
  })
})
