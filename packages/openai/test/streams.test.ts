// Each stream must become one generation. The generation must end exactly once, however the stream ends.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, test } from 'vitest'
import { observeOpenAI } from '../src/index.ts'
import { clientOf, majors } from './clients.ts'
import { ended, observed, only, recordObservations } from './recorded.ts'
import { chunk, type Responder, response, responseUsageByKind, textItem, usageByKind, usageChunk } from './server.ts'

recordObservations()

const hello = { model: 'gpt-test', messages: [{ role: 'user' as const, content: 'Hello' }], stream: true as const }
const texts = ['Hel', 'lo', '!']

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}

async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = []
  for await (const each of stream) chunks.push(each)
  return chunks
}

describe.each(majors)('openai %s', (_, Client) => {
  const fixture = clientOf(Client)
  const create = () => observeOpenAI(fixture.client()).chat.completions.create(hello)
  /** Resolves when the server has sent the first two texts of the stream. */
  let open: Promise<Responder>
  beforeEach(() => {
    open = new Promise(resolve =>
      fixture.server.respond(responder => {
        for (const content of texts.slice(0, 2)) responder.event(chunk({ content }))
        resolve(responder)
      }),
    )
  })

  test('a chat stream passes every chunk on, and records text, tokens and the time of the first chunk', async () => {
    const sent = [chunk({ role: 'assistant', content: '' }), ...texts.map(content => chunk({ content })), usageChunk]
    fixture.server.respond(responder => {
      for (const each of sent) responder.event(each)
      responder.done()
    })
    expect(await read(await create())).toEqual(sent)
    const span = only()
    expect(observed(span, 'output')).toBe('Hello!')
    expect(observed(span, 'model.name')).toBe('gpt-test-2026')
    expect(observed(span, 'model.parameters')).toEqual({ stream: true })
    expect(observed(span, 'usage_details')).toEqual(usageByKind)
    expect(observed(span, 'level')).toBeUndefined()
    expect(Date.parse(observed(span, 'completion_start_time') as string)).toBeGreaterThan(Date.now() - 60_000)
  })

  test('parallel calls of tools are kept apart', async () => {
    const call = (index: number, id: string | undefined, name: string | undefined, text: string) =>
      chunk({ tool_calls: [{ index, ...(id && { id, type: 'function' }), function: { ...(name && { name }), arguments: text } }] })
    fixture.server.respond(responder => {
      responder.event(call(0, 'call_a', 'weather', ''))
      responder.event(call(1, 'call_b', 'time', ''))
      responder.event(call(1, undefined, undefined, '{"b"'))
      responder.event(call(0, undefined, undefined, '{"a":1}'))
      responder.event(call(1, undefined, undefined, ':2}'))
      responder.done()
    })
    await read(await create())
    expect(observed(only(), 'output')).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { type: 'function', function: { name: 'weather', arguments: '{"a":1}' }, id: 'call_a' },
        { type: 'function', function: { name: 'time', arguments: '{"b":2}' }, id: 'call_b' },
      ],
    })
  })

  test('break ends the request, and the generation with the text so far', async () => {
    const stream = await create()
    let count = 0
    for await (const _chunk of stream) if (++count === 2) break
    expect(observed(only(), 'output')).toBe('Hello')
    expect(observed(only(), 'level')).toBeUndefined()
    await (await open).disconnected
  })

  test('an abort ends it, read or not', async () => {
    const stream = await create()
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.next()
    stream.controller.abort()
    expect(observed(only(), 'output')).toBe('Hel')
    const unread = await create()
    unread.controller.abort()
    expect(ended()).toHaveLength(2)
    const waiting = await create()
    const reader = waiting[Symbol.asyncIterator]()
    await reader.next()
    await reader.next()
    const third = reader.next()
    waiting.controller.abort()
    expect((await third).done).toBe(true)
    expect(ended()).toHaveLength(3)
    expect(ended().map(span => observed(span, 'level'))).toEqual([undefined, undefined, undefined])
  })

  test('an error of the stream keeps the text and tokens so far, and is rethrown', async () => {
    fixture.server.respond(responder => {
      responder.event(chunk({ content: 'Hel' }))
      responder.event(usageChunk)
      responder.event({ error: { message: 'overloaded' } }, 'error')
    })
    await expect(read(await create())).rejects.toBeInstanceOf(Client.APIError)
    const span = only()
    expect([observed(span, 'level'), observed(span, 'status_message')]).toEqual(['ERROR', 'overloaded'])
    expect(observed(span, 'output')).toBe('Hel')
    expect(observed(span, 'usage_details')).toEqual(usageByKind)
    expect(span.attributes).not.toHaveProperty('svc.observation.cost_details')
  })

  test('a lost connection is an error with the text so far', async () => {
    const stream = await create()
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.next()
    const rest = iterator.next()
    ;(await open).destroy()
    await expect(rest).rejects.toThrow()
    expect([observed(only(), 'level'), observed(only(), 'output')]).toEqual(['ERROR', 'Hello'])
  })

  test('an unread or partly read stream ends when it is garbage-collected', async () => {
    await (async () => {
      await create()
      const iterator = (await create())[Symbol.asyncIterator]()
      await iterator.next()
    })()
    await expect
      .poll(() => {
        collectGarbage()
        return ended()
      })
      .toHaveLength(2)
    expect(ended().map(span => observed(span, 'output'))).toEqual(expect.arrayContaining([undefined, 'Hel']))
  })

  test('tee, toReadableStream and withResponse work, and record once', async () => {
    const whole = (responder: Responder): void => {
      for (const content of texts) responder.event(chunk({ content }))
      responder.done()
    }
    fixture.server.respond(whole)
    const [left, right] = (await create()).tee()
    expect(await read(left)).toEqual(await read(right))
    const lines = await new Response((await create()).toReadableStream() as ReadableStream).text()
    expect(lines.trim().split('\n')).toHaveLength(3)
    await read((await create().withResponse()).data)
    expect(ended().map(span => observed(span, 'output'))).toEqual(['Hello!', 'Hello!', 'Hello!'])
  })

  test('the stream helper runs by itself, and is one generation', async () => {
    fixture.server.respond(responder => {
      responder.event(chunk({ role: 'assistant', content: '' }))
      for (const content of texts) responder.event(chunk({ content }))
      responder.event(chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
      responder.event(usageChunk)
      responder.done()
    })
    const { stream: _stream, ...request } = hello
    const stream = observeOpenAI(fixture.client()).chat.completions.stream(request)
    expect(await stream.finalContent()).toBe('Hello!')
    const span = only()
    expect(observed(span, 'output')).toMatchObject({ role: 'assistant', content: 'Hello!' })
    expect(observed(span, 'usage_details')).toEqual(usageByKind)
    expect(span.attributes).toHaveProperty('svc.observation.completion_start_time')
  })

  test('an error of the helper is recorded, and reaches the application', async () => {
    const { stream: _stream, ...request } = hello
    fixture.server.respond(({ json }) => json({ error: { message: 'no' } }, 400))
    const stream = observeOpenAI(fixture.client()).chat.completions.stream(request)
    await expect(stream.done()).rejects.toBeInstanceOf(Client.BadRequestError)
    await expect.poll(() => observed(only(), 'level')).toBe('ERROR')
  })

  test('a run of tools is one generation with the tokens of all its calls', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const reply = (message: object) => ({ object: 'chat.completion', model: 'gpt-test', choices: [{ index: 0, message }], usage })
    fixture.server.respond(({ json }, { body }) =>
      json(
        (body['messages'] as unknown[]).length === 1
          ? reply({ role: 'assistant', content: null, tool_calls: [call] })
          : reply({ role: 'assistant', content: 'Sunny' }),
      ),
    )
    const runner = observeOpenAI(fixture.client()).chat.completions.runTools({
      model: 'gpt-test',
      messages: hello.messages,
      tools: [{ type: 'function', function: { name: 'weather', description: '', parameters: {}, function: () => 'sun' } }],
    })
    expect(await runner.finalContent()).toBe('Sunny')
    expect(observed(only(), 'output')).toMatchObject({ role: 'assistant', content: 'Sunny' })
    expect(observed(only(), 'usage_details')).toEqual({ input: 6, output: 4, total: 10 })
  })

  const added = { type: 'response.output_item.added', output_index: 0, item: { ...textItem(''), status: 'in_progress', content: [] } }
  const part = {
    type: 'response.content_part.added',
    output_index: 0,
    content_index: 0,
    item_id: 'msg_1',
    part: { type: 'output_text', text: '', annotations: [] },
  }
  const delta = (text: string) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: text })
  const begun = { type: 'response.created', response: response([], { status: 'in_progress', usage: null }) }

  test('a stream of a response records its end', async () => {
    const sent = [begun, added, part, ...texts.map(delta), { type: 'response.completed', response: response([textItem('Hello!')]) }]
    fixture.server.respond(responder => {
      for (const each of sent) responder.event(each, each.type)
      responder.done()
    })
    const client = observeOpenAI(fixture.client())
    expect(await read(await client.responses.create({ model: 'gpt-test', input: 'Hello', stream: true }))).toHaveLength(sent.length)
    await client.responses.stream({ model: 'gpt-test', input: 'Hello' }).finalResponse()
    await expect.poll(ended).toHaveLength(2)
    for (const span of ended()) {
      expect(observed(span, 'output')).toBe('Hello!')
      expect(observed(span, 'usage_details')).toEqual(responseUsageByKind)
      expect(observed(span, 'model.parameters')).toMatchObject({ max_output_tokens: 100 })
      expect(observed(span, 'metadata.status')).toBe('completed')
    }
  })

  test('an abandoned stream of a response has its text or tool calls so far', async () => {
    fixture.server.respond((responder, { body }) => {
      responder.event(begun, begun.type)
      if (body['input'] === 'text') {
        for (const each of [added, part, ...texts.slice(0, 2).map(delta)]) responder.event(each, each.type)
        return
      }
      const item = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '' }
      responder.event({ type: 'response.output_item.added', output_index: 0, item }, 'response.output_item.added')
      const pieces = { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"city"' }
      responder.event(pieces, pieces.type)
    })
    const client = observeOpenAI(fixture.client())
    for (const [input, last] of [
      ['text', 'lo'],
      ['call', '{"city"'],
    ]) {
      const stream = await client.responses.create({ model: 'gpt-test', input: input!, stream: true })
      for await (const event of stream) if ('delta' in event && event.delta === last) break
    }
    expect(ended().map(span => observed(span, 'output'))).toEqual([
      'Hello',
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city"' },
    ])
  })
})

test('a generator is passed on, and ends its generation when it throws', async () => {
  const error = new Error('broken')
  const api = {
    async *stream() {
      yield chunk({ content: 'a' })
      throw error
    },
  }
  await expect(read(observeOpenAI(api).stream())).rejects.toBe(error)
  expect([observed(only(), 'output'), observed(only(), 'status_message')]).toEqual(['a', 'broken'])
})
