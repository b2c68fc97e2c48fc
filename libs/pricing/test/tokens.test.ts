import { describe, expect, test } from 'vitest'
import { createTokenCounter } from '../src/token-counter.ts'
import { tokenizerOf } from '../src/tokenizers.ts'
import { ask, catalogOf, model } from './catalogs.ts'

const openai = (tokenizerModel: unknown, rest = {}) => ({ tokenizerId: 'openai', tokenizerConfig: { tokenizerModel, ...rest } })
const chat = openai('gpt-4o', { tokensPerMessage: 3, tokensPerName: 1 })
const counted = catalogOf([model({ ...chat })])

describe('§8.4 choice of the tokenizer', () => {
  test.each([
    ['gpt-4o', 'o200k_base', true],
    ['gpt-4o-2024-08-06', 'o200k_base', true],
    ['gpt-4', 'cl100k_base', true],
    ['gpt-3.5-turbo-0613', 'cl100k_base', true],
    ['text-embedding-3-small', 'cl100k_base', false],
    ['text-davinci-003', 'p50k_base', false],
    ['davinci', 'r50k_base', false],
  ])('openai, %s: %s', (name, encoding, isChat) => {
    const tokenizer = tokenizerOf(openai(name))
    expect([tokenizer?.encoding, tokenizer?.chat !== null]).toEqual([encoding, isChat])
  })

  test.each(['my-model', '', 'constructor', '__proto__', 7, null])('an unknown configured model, %j, has no tokenizer', name => {
    expect(tokenizerOf(openai(name))).toBeNull()
  })

  test('claude’s tokens are estimated, and other or missing tokenizers give no count', () => {
    expect(tokenizerOf({ tokenizerId: 'claude', tokenizerConfig: null })).toEqual({ encoding: 'o200k_base', chat: null })
    expect(tokenizerOf({ tokenizerId: 'other', tokenizerConfig: {} })).toBeNull()
    expect(tokenizerOf({ tokenizerId: null, tokenizerConfig: {} })).toBeNull()
    expect(tokenizerOf({ tokenizerId: 'openai', tokenizerConfig: null })).toBeNull()
  })
})

describe('§8.4 counted texts', () => {
  const count = (text: string, tokenizer = chat) => createTokenCounter().count(tokenizerOf(tokenizer)!, text)
  // In these tests, the expected tokens of each text come from the public tokenizer.
  const hello = 1

  test.each([
    ['plain text', 'hello', hello],
    ['a JSON string, without its quotes', '"hello"', hello],
    ['nothing', '', 0],
    ['special tokens, as the text they are', '<|endoftext|>', 7],
    ['an empty list of messages', '[]', 3],
    ['a message: 3 for it, its role, its content, 3 for the reply', '[{"role":"user","content":"hello"}]', 3 + 3 + 1 + hello],
    ['a name: 1 more, and itself', '[{"role":"user","content":"hello","name":"hello"}]', 3 + 3 + 1 + 1 + hello + hello],
    ['a tool call, as compact JSON', '[{"role":"user","content":"hello","tool_calls":[ ]}]', 3 + 3 + 1 + hello + 1],
  ])('%s', (_, text, tokens) => {
    expect(count(text)).toBe(tokens)
  })

  test('counts other JSON in compact form', () => {
    expect(count('{ "a" :   1 }')).toBe(count('{"a":1}'))
    expect(count('[ {"role": "user", "content": []} ]')).toBe(count('[{"role":"user","content":[]}]'))
    expect(count('12345678901234567890')).toBe(7)
  })

  test('counts messages as JSON for a model without chat', () => {
    const text = '[{"role":"user","content":"hello"}]'
    expect(count(text, openai('text-embedding-3-small'))).not.toBe(count(text))
  })

  test('counts JSON nested too deeply to serialize as written', () => {
    const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`
    expect(count(deep)).toBeGreaterThan(100)
  })
})

describe('§8.4 conditions for counting', () => {
  const question = { input: 'hello', output: 'hello hello' }

  test('counts input, output and their total when a model matches and the span reports neither usage nor cost', () => {
    expect(ask(counted, question)).toMatchObject({
      usageDetails: { input: 1n, output: 2n, total: 3n },
      costDetails: { input: '1', output: '4', total: '5' },
      counts: { tokenized: 1 },
    })
  })

  test('does not count an absent side, and empty texts give no total', () => {
    expect(ask(counted, { input: 'hello' }).usageDetails).toEqual({ input: 1n, total: 1n })
    expect(ask(counted, { input: '', output: '' }).usageDetails).toEqual({ input: 0n, output: 0n })
    expect(ask(counted, {}).usageDetails).toEqual({})
  })

  test.each([
    ['usage is given', { usageDetails: { input: 9 } }, { input: 9n, total: 9n }],
    ['a cost is given', { costDetails: { total: 1 } }, {}],
    ['the span failed', { isError: true }, {}],
    ['no model matches', { modelName: 'other' }, {}],
  ])('does not count when %s', (_, rest, usageDetails) => {
    expect(ask(counted, { ...question, ...rest })).toMatchObject({ usageDetails, counts: { tokenized: 0 } })
  })
})

describe('§8.4 bounds', () => {
  const tokenizer = tokenizerOf(chat)!

  test('does not count a text above the limit', () => {
    const counter = createTokenCounter({ maxCharacters: 10 })
    expect([counter.count(tokenizer, 'x'.repeat(11)), counter.counts.tooLong]).toEqual([undefined, 1])
    expect(counter.count(tokenizer, 'x'.repeat(10))).toBeDefined()
  })

  test('counts prose exactly, however long', () => {
    const counter = createTokenCounter()
    const sentence = ' The quick brown fox jumps over the lazy dog, naïvely — 42 times!'
    const one = counter.count(tokenizer, sentence)!
    expect(counter.count(tokenizer, sentence.repeat(2_000))).toBe(one * 2_000)
    expect(counter.counts.estimated).toBe(0)
  })

  test.each([
    ['letters', 'x'],
    ['underscores', '_'],
    ['spaces', ' '],
    ['digits', '7'],
    ['ideographs', '中文字'],
    ['pairs of surrogates', '😀'],
    ['lone surrogates', '\ud800'],
    ['mixed punctuation', '—-'],
    ['combining marks', 'e\u0301'],
    ['slashes and line ends', '/\n'],
  ])('counts a run of a quarter of a million %s in pieces', (_, unit) => {
    const counter = createTokenCounter()
    const text = unit.repeat(Math.ceil(250_000 / unit.length))
    expect(counter.count(tokenizer, text)).toBeGreaterThan(900)
    expect(counter.counts.estimated).toBe(1)
  })

  test('each piece adds at most one token', () => {
    const counter = createTokenCounter()
    const run = 'abcdefghij'.repeat(100)
    const words = counter.count(tokenizer, 'abcdefghij'.repeat(12))!
    expect(Math.abs(counter.count(tokenizer, run)! - (words * 1000) / 120)).toBeLessThanOrEqual(1000 / 256 + 8)
  })
})
