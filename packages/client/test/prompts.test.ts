import { configureGlobalLogger, LogLevel, SvcAPIError, SvcAPITimeoutError } from '@svc/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ChatMessageType, ChatPromptClient, SvcClient, TextPromptClient } from '../src/index.ts'
import { toLangchain } from '../src/prompts/langchain.ts'
import { type Answer, startService } from './server.ts'

beforeEach(() => configureGlobalLogger({ level: LogLevel.NONE }))
afterEach(() => {
  vi.useRealTimers()
})

const text = { name: 'greet', version: 3, type: 'text', prompt: 'Hello {{name}}', config: {}, labels: ['production'], tags: [] } as const
const soon = { headers: { 'retry-after': '0' } }

async function serving(answer: Answer, timeout?: number) {
  const service = await startService(answer)
  return { service, prompts: new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url, timeout }).prompt }
}

describe('get', () => {
  test('reads a prompt by its name, version and label, once', async () => {
    const { service, prompts } = await serving(() => ({ json: text }))
    const prompt = await prompts.get('a/greet & more')
    expect(prompt).toBeInstanceOf(TextPromptClient)
    expect(prompt).toMatchObject({ name: 'greet', version: 3, isFallback: false, type: 'text', prompt: 'Hello {{name}}' })
    expect(await prompts.get('a/greet & more')).toBe(prompt)
    await prompts.get('a/greet & more', { version: 2 })
    await prompts.get('a/greet & more', { label: 'staging' })
    await prompts.get('a/greet & more', { label: 'production' })
    expect(service.received.map(({ call }) => call)).toEqual(Array(3).fill('GET /api/public/v2/prompts/a%2Fgreet%20%26%20more'))
    expect(service.received.map(({ query }) => query)).toEqual([{}, { version: '2' }, { label: 'staging' }])
  })

  test('uses an expired prompt while a background read replaces it', async () => {
    let now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now)
    let version = 1
    const { service, prompts } = await serving(() => ({ json: { ...text, version: version++ } }))
    await prompts.get('greet', { cacheTtlSeconds: 10 })
    now += 9_999
    expect((await prompts.get('greet')).version).toBe(1)
    expect(service.received).toHaveLength(1)
    now += 1
    const both = await Promise.all([prompts.get('greet'), prompts.get('greet')])
    expect(both.map(each => each.version)).toEqual([1, 1])
    await expect.poll(async () => (await prompts.get('greet')).version).toBe(2)
    expect(service.received).toHaveLength(2)
    vi.restoreAllMocks()
  })

  test('returns the cached prompt during an outage, with a warning', async () => {
    configureGlobalLogger({ level: LogLevel.WARN })
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    let isDown = false
    const { service, prompts } = await serving(() => (isDown ? { status: 503, headers: soon.headers, json: {} } : { json: text }))
    const fresh = await prompts.get('greet', { cacheTtlSeconds: -1 })
    isDown = true
    expect(await prompts.get('greet', { maxRetries: 0 })).toBe(fresh)
    await expect.poll(() => warn.mock.calls.flat().join()).toMatch(/'greet' cannot be refreshed; the previously read prompt is still used/)
    expect(await prompts.get('greet', { maxRetries: 0 })).toBe(fresh)
    await expect.poll(() => service.received.length).toBe(3)
    vi.restoreAllMocks()
  })

  test('drops a deleted prompt, and the next read rejects or uses the fallback', async () => {
    let isDeleted = false
    const { service, prompts } = await serving(() => (isDeleted ? { status: 404, json: {} } : { json: text }))
    await prompts.get('greet', { cacheTtlSeconds: -1 })
    isDeleted = true
    expect((await prompts.get('greet')).version).toBe(3)
    await expect.poll(() => prompts.get('greet').then(String, String)).toContain('404')
    expect(await prompts.get('greet', { fallback: 'Hi' })).toMatchObject({ isFallback: true, prompt: 'Hi' })
    expect(service.received.length).toBeGreaterThan(2)
  })

  test('repeated reads see a change within one time to live', async () => {
    let [now, version] = [Date.now(), 1]
    vi.spyOn(Date, 'now').mockImplementation(() => now)
    const { service, prompts } = await serving(() => ({ json: { ...text, version } }))
    const read = async () => (await prompts.get('greet', { cacheTtlSeconds: 10 })).version
    expect(await read()).toBe(1)
    version = 2
    now += 10_000
    expect(await read()).toBe(1)
    await expect.poll(read).toBe(2)
    expect(service.received).toHaveLength(2)
    vi.restoreAllMocks()
  })

  test('reads each time with a time to live of 0', async () => {
    const { service, prompts } = await serving(() => ({ json: text }))
    await prompts.get('greet', { cacheTtlSeconds: 0 })
    await prompts.get('greet', { cacheTtlSeconds: 0 })
    expect(service.received).toHaveLength(2)
  })

  test('uses a fallback without caching it, and rejects without a fallback', async () => {
    const { service, prompts } = await serving(() => ({ status: 404, json: { message: 'no' } }))
    const fallback = await prompts.get('greet', { fallback: 'Hi {{name}}', label: 'x' })
    expect(fallback).toMatchObject({ isFallback: true, version: 0, labels: ['x'], tags: [], config: {}, prompt: 'Hi {{name}}' })
    const chat = await prompts.get('greet', { type: 'chat', fallback: [{ role: 'user', content: 'Hi' }], version: 7 })
    expect(chat).toBeInstanceOf(ChatPromptClient)
    expect(chat).toMatchObject({ isFallback: true, version: 7 })
    await expect(prompts.get('greet')).rejects.toBeInstanceOf(SvcAPIError)
    await expect(prompts.get('greet', { fallback: '' })).rejects.toBeInstanceOf(SvcAPIError)
    expect(service.received).toHaveLength(4)
  })

  test('retries as often as configured', async () => {
    const { service, prompts } = await serving(() => ({ status: 500, json: {}, ...soon }))
    await expect(prompts.get('greet', { maxRetries: 0 })).rejects.toThrow()
    expect(service.received).toHaveLength(1)
    await expect(prompts.get('greet', { maxRetries: 1 })).rejects.toThrow()
    expect(service.received).toHaveLength(3)
  })

  test('has the time limit of the call, else of the client', async () => {
    const { prompts } = await serving(() => null, 0.05)
    await expect(prompts.get('greet')).rejects.toBeInstanceOf(SvcAPITimeoutError)
    await expect(prompts.get('greet', { fetchTimeoutMs: 20 })).rejects.toThrow('20 ms')
  })
})

describe('changes', () => {
  test('create sends text prompts, and chat prompts with typed items', async () => {
    const { service, prompts } = await serving(({ body }) => ({ status: 201, json: { ...text, ...(body as object) } }))
    expect(await prompts.create({ name: 'greet', prompt: 'Hi', labels: ['l'] })).toBeInstanceOf(TextPromptClient)
    const chat = await prompts.create({
      name: 'talk',
      type: 'chat',
      prompt: [
        { role: 'system', content: 'Be kind.' },
        { type: ChatMessageType.Placeholder, name: 'history', ...({ extra: 1 } as object) },
      ],
    })
    expect(chat).toBeInstanceOf(ChatPromptClient)
    expect(service.received.map(({ call, body }) => [call, body])).toEqual([
      ['POST /api/public/v2/prompts', { name: 'greet', prompt: 'Hi', labels: ['l'], type: 'text' }],
      [
        'POST /api/public/v2/prompts',
        {
          name: 'talk',
          type: 'chat',
          prompt: [
            { role: 'system', content: 'Be kind.', type: 'chatmessage' },
            { type: 'placeholder', name: 'history' },
          ],
        },
      ],
    ])
  })

  test('update and delete drop the prompt from the cache, and no other prompt whose name begins alike', async () => {
    const { service, prompts } = await serving(({ call }) => (call.startsWith('DELETE') ? { status: 204 } : { json: text }))
    await Promise.all([prompts.get('greet'), prompts.get('greeting')])
    expect(await prompts.update({ name: 'greet', version: 3, newLabels: ['x'] })).toEqual(text)
    await prompts.delete('greet', { label: 'x' })
    await Promise.all([prompts.get('greet'), prompts.get('greeting')])
    expect(service.received.slice(2).map(({ call, body, query }) => [call, body, query])).toEqual([
      ['PATCH /api/public/v2/prompts/greet/versions/3', { newLabels: ['x'] }, {}],
      ['DELETE /api/public/v2/prompts/greet', undefined, { label: 'x' }],
      ['GET /api/public/v2/prompts/greet', undefined, {}],
    ])
  })

  test('a read that began before a change and ends after it is not cached', async () => {
    let release = (): void => undefined
    const held = new Promise<void>(resolve => (release = resolve))
    let reads = 0
    const { prompts } = await serving(async ({ call }) => {
      if (call.startsWith('GET') && reads++ === 0) await held
      return { json: { ...text, version: reads } }
    })
    const first = prompts.get('greet')
    await expect.poll(() => reads).toBe(1)
    await prompts.update({ name: 'greet', version: 1, newLabels: [] })
    release()
    await first
    expect((await prompts.get('greet')).version).toBe(2)
  })
})

describe('a text prompt', () => {
  const client = (prompt: string) => new TextPromptClient({ ...text, labels: [], tags: [], prompt })

  test('replaces its variables without escapes, and a variable without a value becomes empty', () => {
    expect(client('{{a}} {{b}}{{n}} {{#list}}[{{.}}]{{/list}}').compile({ a: '<"&>', n: 3, list: ['x', 'y'] })).toBe('<"&> 3 [x][y]')
    expect(client('plain').compile()).toBe('plain')
  })

  test('converts to a template of LangChain', () => {
    expect(client('{{name}}: {"a": {{b}}}').getLangchainPrompt()).toBe('{name}: {{"a": {b}}}')
  })

  test('is written as a text of JSON', () => {
    expect(JSON.parse(JSON.parse(JSON.stringify({ prompt: client('Hi') })).prompt)).toEqual({
      ...{ name: 'greet', prompt: 'Hi', version: 3, isFallback: false, tags: [], labels: [], type: 'text', config: {} },
    })
  })
})

test.each([
  ['{"a": {"b": {"c": 1}}}', '{{"a": {{"b": {{"c": 1}}}}}}'],
  ['{"a":{"b":{{c}}}}', '{{"a":{{"b":{c}}}}}'],
  ['{\n  "a": 1\n} {{v}} { plain }', '{{\n  "a": 1\n}} {v} { plain }'],
  ['{{"done": 1}} {{v}}', '{{"done": 1}} {v}'],
  ["{'a': '{{b}}'}", "{{'a': '{b}'}}"],
  ['} {', '} {'],
])('LangChain reads %s as %s', (given, expected) => expect(toLangchain(given)).toBe(expected))

describe('a chat prompt', () => {
  const prompt = new ChatPromptClient({
    ...text,
    labels: [],
    tags: [],
    prompt: [
      { role: 'system', content: 'Be {{mood}}.' },
      { type: 'placeholder', name: 'history' },
      { role: 'user', content: '{"q": 1}' },
    ],
  })
  const [system, user] = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: '{"q": 1}' },
  ]

  test.each([
    ['messages', [{ role: 'user', content: '{{mood}}?' }], [{ role: 'user', content: 'kind?' }]],
    ['no messages', [], []],
    ['what is no list of messages', [{ role: 'user' }], ['[{"role":"user"}]']],
    ['a text', 'x', ['"x"']],
    ['nothing', undefined, [{ type: 'placeholder', name: 'history' }]],
  ])('with %s in its placeholder', (_, history, expected) => {
    expect(prompt.compile({ mood: 'kind' }, { history })).toEqual([system, ...expected, user])
  })

  test('for LangChain', () => {
    const messages = [{ role: 'system', content: 'Be {mood}.' }, ['placeholder', '{history}'], { role: 'user', content: '{{"q": 1}}' }]
    expect(prompt.getLangchainPrompt()).toEqual(messages)
    expect(prompt.getLangchainPrompt({ placeholders: { history: [{ role: 'user', content: '{{x}}' }] } })[1]).toEqual({
      role: 'user',
      content: '{x}',
    })
  })

  test('items get their types, and lose them in JSON', () => {
    expect(prompt.prompt.map(({ type }) => type)).toEqual(['chatmessage', 'placeholder', 'chatmessage'])
    expect(JSON.parse(prompt.toJSON()).prompt).toEqual([
      { role: 'system', content: 'Be {{mood}}.' },
      { type: 'placeholder', name: 'history' },
      { role: 'user', content: '{"q": 1}' },
    ])
  })
})
