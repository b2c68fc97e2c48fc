// Tests calls over HTTP that return one complete response, not a stream.
import { startActiveObservation, startObservation } from '@svc/tracing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { observeOpenAI } from '../src/index.ts'
import { clientOf, majors } from './clients.ts'
import { ended, observed, only, recordObservations } from './recorded.ts'
import { completion, response, responseUsageByKind, textItem, usageByKind } from './server.ts'

recordObservations()
afterEach(() => {
  vi.restoreAllMocks()
})

const messages = [{ role: 'user' as const, content: 'Hello' }]
const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }]
const hello = { model: 'gpt-test', messages }

describe.each(majors)('openai %s', (_, Client) => {
  const fixture = clientOf(Client)
  beforeEach(() => fixture.server.respond(({ json }) => json(completion({ content: 'Hi!' }))))

  test('a chat completion is a generation with its request, reply and tokens by kind', async () => {
    const request = { ...hello, temperature: 0.5, seed: 0, max_completion_tokens: 10, tools, tool_choice: 'auto' as const }
    const reply = await observeOpenAI(fixture.client()).chat.completions.create(request)
    expect(reply.choices[0]!.message.content).toBe('Hi!')
    expect(fixture.server.received.at(-1)!.body).toEqual(request)
    const span = only()
    expect(span.name).toBe('OpenAI.chat')
    expect(observed(span, 'type')).toBe('generation')
    expect(observed(span, 'model.name')).toBe('gpt-test-2026')
    expect(observed(span, 'input')).toEqual({ messages, tools, tool_choice: 'auto' })
    expect(observed(span, 'output')).toEqual({ role: 'assistant', content: 'Hi!' })
    expect(observed(span, 'model.parameters')).toEqual({ temperature: 0.5, seed: 0, max_completion_tokens: 10 })
    expect(observed(span, 'usage_details')).toEqual(usageByKind)
    expect(observed(span, 'level')).toBeUndefined()
  })

  test('options of the application are on the generation and its surrounding observations', async () => {
    const config = {
      generationName: 'greeting',
      generationMetadata: { plan: 'pro', seats: 3 },
      svcPrompt: { name: 'greet', version: 2 },
      traceName: 'chat',
      sessionId: 'session-1',
      userId: 'user-1',
      tags: ['beta'],
    }
    const format = { type: 'json_schema' as const, json_schema: { name: 'greeting', schema: { type: 'object' } } }
    await startActiveObservation('outer', () =>
      observeOpenAI(fixture.client(), config).chat.completions.create({ ...hello, response_format: format }),
    )
    expect(ended()).toHaveLength(2)
    const [generation, outer] = [ended()[0]!, ended()[1]!]
    expect(generation.name).toBe('greeting')
    expect(generation.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
    for (const { attributes } of [generation, outer]) {
      expect(attributes).toMatchObject({
        'user.id': 'user-1',
        'session.id': 'session-1',
        'svc.trace.name': 'chat',
        'svc.trace.tags': ['beta'],
      })
    }
    expect([observed(generation, 'prompt.name'), observed(generation, 'prompt.version')]).toEqual(['greet', 2])
    expect([observed(generation, 'metadata.plan'), observed(generation, 'metadata.seats')]).toEqual(['pro', 3])
    expect(observed(generation, 'metadata.response_format')).toEqual(format)
    expect(observed(generation, 'model.parameters')).toEqual({ response_format: '' })
  })

  test('a parent can be given', async () => {
    const parent = startObservation('parent')
    await observeOpenAI(fixture.client(), { parentSpanContext: parent.otelSpan.spanContext() }).chat.completions.create(hello)
    expect(only().parentSpanContext?.spanId).toBe(parent.id)
    expect(only().spanContext().traceId).toBe(parent.traceId)
  })

  test('one client may be observed twice, and stays unchanged', async () => {
    const client = fixture.client()
    const [first, second] = [observeOpenAI(client, { generationName: 'first' }), observeOpenAI(client, { generationName: 'second' })]
    expect(first).toBeInstanceOf(Client)
    expect(first.chat.completions.create).toBe(first.chat.completions.create)
    await first.chat.completions.create(hello)
    await second.chat.completions.create(hello)
    await client.chat.completions.create(hello)
    const { create } = first.chat.completions
    await create(hello)
    expect(ended().map(({ name }) => name)).toEqual(['first', 'second', 'first'])
  })

  test('a client made by withOptions is observed, and immediate values are not recorded as calls', async () => {
    const client = observeOpenAI(fixture.client(), { generationName: 'call' })
    const other = client.withOptions({ timeout: 60_000 })
    expect(client.buildURL('/models', {})).toBe(`${fixture.server.url}/models`)
    expect(ended()).toHaveLength(0)
    await other.chat.completions.create(hello)
    expect(only().name).toBe('call')
  })

  test("the client's promises keep their methods, and record once", async () => {
    const call = observeOpenAI(fixture.client()).chat.completions.create(hello)
    const { data, response: raw, request_id } = await call.withResponse()
    expect([data.choices[0]!.message.content, raw.status, request_id]).toEqual(['Hi!', 200, 'req_1'])
    expect(await call).toBe(data)
    expect(observed(only(), 'usage_details')).toEqual(usageByKind)
    const seen: unknown[] = []
    await observeOpenAI(fixture.client())
      .chat.completions.create(hello)
      .finally(() => seen.push('finally'))
    expect(seen).toEqual(['finally'])
    expect(ended()).toHaveLength(2)
  })

  test("a raw response's body is the application's", async () => {
    const raw = await observeOpenAI(fixture.client()).chat.completions.create(hello).asResponse()
    expect(await raw.json()).toEqual(completion({ content: 'Hi!' }))
    await expect.poll(ended).toHaveLength(1)
    expect(observed(only(), 'output')).toBeUndefined()
  })

  test('parse makes one generation', async () => {
    fixture.server.respond(({ json }) => json(completion({ content: '{"a":1}' })))
    const reply = await observeOpenAI(fixture.client()).chat.completions.parse(hello)
    expect(reply.choices[0]!.message.content).toBe('{"a":1}')
    expect(observed(only(), 'output')).toMatchObject({ role: 'assistant', content: '{"a":1}' })
    expect(observed(only(), 'usage_details')).toEqual(usageByKind)
  })

  test('a response records its text, parameters, metadata and tokens', async () => {
    fixture.server.respond(({ json }) => json(response([textItem('Hi!')])))
    const reply = await observeOpenAI(fixture.client()).responses.create({ model: 'gpt-test', input: 'Hello', top_p: 0.9 })
    expect(reply.output_text).toBe('Hi!')
    const span = only()
    expect(span.name).toBe('OpenAI.responses')
    expect([observed(span, 'input'), observed(span, 'output')]).toEqual(['Hello', 'Hi!'])
    expect(observed(span, 'usage_details')).toEqual(responseUsageByKind)
    const parameters = { max_output_tokens: 100, parallel_tool_calls: true, store: false, temperature: 1, tool_choice: 'auto', top_p: 1 }
    expect(observed(span, 'model.parameters')).toEqual({ ...parameters, truncation: 'disabled' })
    expect(observed(span, 'metadata.instructions')).toBe('Be brief.')
    expect(observed(span, 'metadata.reasoning')).toEqual({ effort: 'low', summary: null })
    expect(observed(span, 'metadata.metadata')).toEqual({ plan: 'pro' })
    expect(observed(span, 'metadata.status')).toBe('completed')
    expect(span.attributes).not.toHaveProperty('svc.observation.metadata.error')
  })

  test('a call of a tool beside a text is not lost; a failed response is an error', async () => {
    const items = [textItem('Looking.'), { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' }]
    fixture.server.respond(({ json }) => json(response(items)))
    await observeOpenAI(fixture.client()).responses.create({ model: 'gpt-test', input: 'Weather?' })
    expect(observed(only(), 'output')).toEqual(items)
    fixture.server.respond(({ json }) => json(response([], { status: 'failed', error: { code: 'server_error', message: 'overloaded' } })))
    await observeOpenAI(fixture.client()).responses.create({ model: 'gpt-test', input: 'Weather?' })
    const failed = ended()[1]!
    expect([observed(failed, 'level'), observed(failed, 'status_message')]).toEqual(['ERROR', 'overloaded'])
  })

  test('embeddings record their input and tokens, not their vectors', async () => {
    const vectors = {
      object: 'list',
      model: 'embed-test',
      data: [{ index: 0, embedding: [0.25] }],
      usage: { prompt_tokens: 5, total_tokens: 5 },
    }
    fixture.server.respond(({ json }) => json(vectors))
    await observeOpenAI(fixture.client()).embeddings.create({ model: 'embed', input: ['a', 'b'], dimensions: 1, encoding_format: 'float' })
    const span = only()
    expect(span.name).toBe('OpenAI.embeddings')
    expect(observed(span, 'input')).toEqual(['a', 'b'])
    expect(observed(span, 'output')).toBeUndefined()
    expect(observed(span, 'model.name')).toBe('embed-test')
    expect(observed(span, 'usage_details')).toEqual({ input: 5, total: 5 })
  })

  test('pages can be read by the item', async () => {
    fixture.server.respond(({ json }) => json({ object: 'list', data: [{ id: 'a' }, { id: 'b' }] }))
    const ids: string[] = []
    for await (const { id } of observeOpenAI(fixture.client()).models.list()) ids.push(id)
    expect(ids).toEqual(['a', 'b'])
    expect(only().name).toBe('OpenAI.models')
  })

  test('an error is recorded and thrown unchanged', async () => {
    fixture.server.respond(({ json }) => json({ error: { message: 'No such model', type: 'invalid_request_error' } }, 404))
    const call = observeOpenAI(fixture.client()).chat.completions.create(hello)
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(Client.NotFoundError)
    const span = only()
    expect(observed(span, 'level')).toBe('ERROR')
    expect(observed(span, 'status_message')).toBe('404 No such model')
    expect(observed(span, 'cost_details')).toEqual({ input: 0, output: 0, total: 0 })
    await expect(call.withResponse()).rejects.toBe(error)
    expect(ended()).toHaveLength(1)
  })

  test('an aborted call is recorded and rejects', async () => {
    const controller = new AbortController()
    fixture.server.respond(() => controller.abort())
    const call = observeOpenAI(fixture.client()).chat.completions.create(hello, { signal: controller.signal })
    await expect(call).rejects.toBeInstanceOf(Client.APIUserAbortError)
    expect(observed(only(), 'level')).toBe('ERROR')
  })
})

test('any object with methods can be observed, and errors thrown at once pass through', async () => {
  const error = new TypeError('no')
  const api = {
    list: [1],
    chat: {
      create: (request: object) => Promise.resolve({ choices: [{ message: { content: 'a' } }], request }),
      fail(): never {
        throw error
      },
    },
  }
  const observedApi = observeOpenAI(api, { generationName: 'fake' })
  expect(observedApi.list).toBe(api.list)
  await observedApi.chat.create({ prompt: 'p' })
  expect(() => observedApi.chat.fail()).toThrow(error)
  expect(ended().map(span => [span.name, observed(span, 'input'), observed(span, 'status_message')])).toEqual([
    ['fake', 'p', undefined],
    ['fake', undefined, 'no'],
  ])
})

test('an untested version of the client is recorded like the others, with one warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const versions = ['OpenAI/JS 9.1.0', 'OpenAI/JS 9.2.0', 'AzureOpenAI/JS 7.57.0', 'mine', undefined]
  for (const userAgent of versions) {
    const api = observeOpenAI({ getUserAgent: () => userAgent, complete: () => Promise.resolve({}) })
    await api.complete()
  }
  const broken = observeOpenAI({ getUserAgent: (): string => [].at(0)!, complete: () => Promise.resolve({}) })
  await broken.complete()
  expect(warn.mock.calls.map(([line]) => String(line))).toEqual([expect.stringContaining('openai 9.1.0 is not tested')])
  expect(ended()).toHaveLength(versions.length + 1)
})
