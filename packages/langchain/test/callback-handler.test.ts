// Runs LangChain and checks the recorded observations.
import { Document } from '@langchain/core/documents'
import { ChatMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { BaseRetriever } from '@langchain/core/retrievers'
import { RunnableLambda } from '@langchain/core/runnables'
import { DynamicStructuredTool } from '@langchain/core/tools'
import { FakeListChatModel, FakeLLM } from '@langchain/core/utils/testing'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { startActiveObservation } from '@svc/tracing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { CallbackHandler } from '../src/index.ts'
import { answer, TestModel, usageByKind } from './model.ts'
import { ended, named, observed, only, recordObservations } from './recorded.ts'

recordObservations()
afterEach(() => {
  vi.restoreAllMocks()
})

const prompt = ChatPromptTemplate.fromMessages([
  ['system', 'Be brief.'],
  ['human', '{question}'],
])
const weather = new DynamicStructuredTool({
  name: 'weather',
  description: 'Weather of a city',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  func: async ({ city }: { city: string }) => `Sunny in ${city}`,
})

/** LangChain's types accept an input only if the tool has a zod schema, so the test casts the input. */
const rome = { city: 'Rome' } as never

class Library extends BaseRetriever {
  override lc_namespace = ['test']
  static override lc_name(): string {
    return 'Library'
  }
  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    if (query === 'fail') throw new Error('closed')
    return [new Document({ pageContent: query, metadata: { page: 1 } })]
  }
}

const traceValues = { userId: 'user-1', sessionId: 'session-1', tags: ['mine'], traceMetadata: { plan: 'pro', seats: 3 }, version: 'v1' }
const traceAttributes = {
  'user.id': 'user-1',
  'session.id': 'session-1',
  'svc.trace.metadata.plan': 'pro',
  'svc.trace.metadata.seats': '3',
  'svc.version': 'v1',
}
const parentOf = (span: ReadableSpan): string | undefined => span.parentSpanContext?.spanId

describe('the values of the handler are on every observation', () => {
  test('of a chain', async () => {
    const handler = new CallbackHandler(traceValues)
    const chain = prompt.pipe(new TestModel()).pipe(new StringOutputParser())
    const result = await chain.invoke(
      { question: 'Hello' },
      { callbacks: [handler], runName: 'answer', tags: ['run'], metadata: { run: 1 } },
    )
    expect(result).toBe('Hi!')
    expect(ended().map(({ name }) => name)).toEqual(['ChatPromptTemplate', 'TestModel', 'StrOutputParser', 'answer'])
    for (const { attributes } of ended()) {
      expect(attributes).toMatchObject({ ...traceAttributes, 'svc.trace.tags': ['run', 'mine'] })
      expect(attributes['svc.observation.metadata.run']).toBe('1')
    }
    const root = named('answer')
    for (const span of ended().slice(0, 3)) expect(parentOf(span)).toBe(root.spanContext().spanId)
    expect(handler.last_trace_id).toBe(root.spanContext().traceId)
    expect([observed(root, 'type'), observed(root, 'input'), observed(root, 'output')]).toEqual(['span', { question: 'Hello' }, 'Hi!'])
    expect(observed(root, 'metadata.tags')).toEqual(['run'])
  })

  test('of a model, a tool or a retriever that is the root', async () => {
    const config = { callbacks: [new CallbackHandler(traceValues)], tags: ['run'] }
    await new TestModel().invoke('Hello', config)
    await weather.invoke(rome, config)
    await new Library().invoke('books', config)
    await new FakeLLM({ response: 'a' }).invoke('Hello', config)
    expect(ended()).toHaveLength(4)
    for (const { attributes } of ended()) expect(attributes).toMatchObject({ ...traceAttributes, 'svc.trace.tags': ['run', 'mine'] })
  })

  test('run metadata of a root may name user and session; these keys are not metadata', async () => {
    const metadata = { svcUserId: 'user-2', svcSessionId: 'session-2', other: true }
    await prompt.pipe(new TestModel()).invoke({ question: 'Hello' }, { callbacks: [new CallbackHandler(traceValues)], metadata })
    for (const { attributes } of ended()) {
      expect(attributes).toMatchObject({ 'user.id': 'user-2', 'session.id': 'session-2', 'svc.observation.metadata.other': 'true' })
      expect(Object.keys(attributes).filter(key => key.includes('svcUser') || key.includes('svcSession'))).toEqual([])
    }
  })

  test('an invalid value causes one warning, and the others stay', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const handler = new CallbackHandler({ userId: 'x'.repeat(201), sessionId: 'session-1', traceMetadata: { cycle: Number.NaN, ok: 1 } })
    await prompt.pipe(new TestModel()).invoke({ question: 'Hello' }, { callbacks: [handler] })
    expect(warn.mock.calls.map(([line]) => /userId|metadata\.\w+/.exec(String(line))?.[0])).toEqual(['userId', 'metadata.cycle'])
    for (const { attributes } of ended()) {
      expect(attributes).toMatchObject({ 'session.id': 'session-1', 'svc.trace.metadata.ok': '1' })
      expect(attributes).not.toHaveProperty('user.id')
    }
  })

  test('concurrent runs keep their own values', async () => {
    const handler = new CallbackHandler()
    const chain = prompt.pipe(new TestModel())
    const invoke = (user: string) => chain.invoke({ question: user }, { callbacks: [handler], metadata: { svcUserId: user } })
    await Promise.all(['a', 'b', 'c'].map(invoke))
    const users = new Map<string, Set<unknown>>()
    for (const span of ended()) {
      const { traceId } = span.spanContext()
      users.set(traceId, (users.get(traceId) ?? new Set()).add(span.attributes['user.id']))
    }
    expect([...users.values()].map(set => [...set].join()).sort()).toEqual(['a', 'b', 'c'])
  })
})

test('a root is below the active observation', async () => {
  await startActiveObservation('outer', () =>
    prompt.pipe(new TestModel()).invoke({ question: 'Hello' }, { callbacks: [new CallbackHandler()] }),
  )
  expect(parentOf(named('RunnableSequence'))).toBe(named('outer').spanContext().spanId)
})

describe('models', () => {
  test('record messages, parameters, model and tokens by kind', async () => {
    const invocation = { temperature: 0, max_tokens: 10, top_k: 3 }
    await new TestModel({ invocation }).invoke([new SystemMessage('Be brief.'), new HumanMessage('Hello')], {
      callbacks: [new CallbackHandler()],
    })
    const span = only()
    expect(observed(span, 'type')).toBe('generation')
    expect(observed(span, 'input')).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ])
    expect(observed(span, 'output')).toEqual({ role: 'assistant', content: 'Hi!' })
    expect(observed(span, 'model.name')).toBe('gpt-test-2026')
    expect(observed(span, 'model.parameters')).toEqual({ temperature: 0, max_tokens: 10 })
    expect(observed(span, 'usage_details')).toEqual(usageByKind)
    expect(span.attributes).not.toHaveProperty('svc.observation.completion_start_time')
  })

  test('tools and their choice are part of the input, calls of the output', async () => {
    const calls = [{ id: 'call_1', name: 'weather', args: { city: 'Rome' }, type: 'tool_call' as const }]
    const tools = [{ type: 'function', function: { name: 'weather' } }]
    const model = new TestModel({ invocation: { tools, tool_choice: 'auto' }, reply: answer('', { tool_calls: calls }) })
    const history = [new ChatMessage('x', 'critic'), new ToolMessage({ content: 'Sunny', name: 'weather', tool_call_id: 'call_0' })]
    await model.invoke(history, { callbacks: [new CallbackHandler()] })
    const messages = [
      { role: 'human', content: 'x' },
      { role: 'weather', content: 'Sunny', tool_call_id: 'call_0' },
    ]
    expect(observed(only(), 'input')).toEqual({ messages, tools, tool_choice: 'auto' })
    expect(observed(only(), 'output')).toEqual({ role: 'assistant', content: '', tool_calls: calls })
  })

  test('a stream has the time of its first token, its text and its tokens', async () => {
    const texts: string[] = []
    for await (const { text } of await new TestModel().stream('Hello', { callbacks: [new CallbackHandler()] })) texts.push(text)
    expect(texts.join('')).toBe('Hello')
    const span = only()
    expect(observed(span, 'output')).toEqual({ role: 'assistant', content: 'Hello' })
    expect(observed(span, 'usage_details')).toEqual(usageByKind)
    expect(Date.parse(observed(span, 'completion_start_time') as string)).toBeGreaterThan(Date.now() - 60_000)
  })

  test('a chain that streams records what its steps have read', async () => {
    const chain = prompt.pipe(new TestModel()).pipe(new StringOutputParser())
    for await (const _text of await chain.stream({ question: 'Hello' }, { callbacks: [new CallbackHandler()] }));
    expect(observed(named('RunnableSequence'), 'output')).toBe('Hello')
    expect(observed(named('StrOutputParser'), 'input')).toBe('Hello')
    expect(named('TestModel').attributes).toHaveProperty('svc.observation.completion_start_time')
  })

  test('record texts and tokens of models that are not chats', async () => {
    const handler = new CallbackHandler()
    const llmOutput = { tokenUsage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 } }
    handler.handleLLMStart({ id: ['langchain', 'Text'] }, ['Hello'], 'run', undefined, {}, [], { ls_model_name: 'text-test' })
    handler.handleLLMEnd({ generations: [[{ text: 'first' }], [{ text: 'Hi!' }]], llmOutput }, 'run')
    const span = only()
    expect(span.name).toBe('Text')
    expect([observed(span, 'input'), observed(span, 'output')]).toEqual([['Hello'], 'Hi!'])
    expect(observed(span, 'model.name')).toBe('text-test')
    expect(observed(span, 'usage_details')).toEqual({ input: 3, output: 2, total: 5 })
  })

  test('an error has its text and the explanation of the provider', async () => {
    const error = Object.assign(new Error('refused'), { error: { code: 'content_filter' } })
    const call = prompt.pipe(new TestModel({ error })).invoke({ question: 'Hello' }, { callbacks: [new CallbackHandler()] })
    await expect(call).rejects.toBe(error)
    for (const name of ['TestModel', 'RunnableSequence']) {
      expect(observed(named(name), 'level')).toBe('ERROR')
      expect(observed(named(name), 'status_message')).toBe('Error: refused\n\nError details:\n{"code":"content_filter"}')
    }
  })
})

describe('prompts', () => {
  const link = { name: 'ask', version: 2, isFallback: false }
  const links = () => ended().map(span => [span.name, observed(span, 'prompt.name'), observed(span, 'prompt.version')])

  test('the prompt of a step is linked to the next model below the same run, once', async () => {
    const linked = prompt.withConfig({ metadata: { svcPrompt: link } })
    const again = RunnableLambda.from(() => 'Again')
    const chain = linked
      .pipe(new TestModel())
      .pipe(again)
      .pipe(new FakeListChatModel({ responses: ['b'] }))
    await chain.invoke({ question: 'Hello' }, { callbacks: [new CallbackHandler()] })
    expect(links().filter(([, name]) => name)).toEqual([['TestModel', 'ask', 2]])
    expect(
      ended()
        .flatMap(span => Object.keys(span.attributes))
        .filter(key => key.includes('svcPrompt')),
    ).toEqual([])
  })

  test('a model may name its own; a fallback is not linked', async () => {
    await new TestModel().invoke('Hello', { callbacks: [new CallbackHandler()], metadata: { svcPrompt: link } })
    const fallback = { ...link, isFallback: true }
    await new TestModel().invoke('Hello', { callbacks: [new CallbackHandler()], metadata: { svcPrompt: fallback } })
    expect(links()).toEqual([
      ['TestModel', 'ask', 2],
      ['TestModel', undefined, undefined],
    ])
  })
})

describe('tools, retrievers and agents', () => {
  test('a tool has its type, input and output', async () => {
    await weather.invoke(rome, { callbacks: [new CallbackHandler()] })
    await weather.invoke(
      { id: 'call_1', name: 'weather', args: { city: 'Oslo' }, type: 'tool_call' },
      { callbacks: [new CallbackHandler()] },
    )
    expect(ended().map(span => [span.name, observed(span, 'type'), observed(span, 'input'), observed(span, 'output')])).toEqual([
      ['weather', 'tool', { city: 'Rome' }, 'Sunny in Rome'],
      ['weather', 'tool', { city: 'Oslo' }, 'Sunny in Oslo'],
    ])
  })

  test('a retriever is a span with its documents, or its error', async () => {
    const library = new Library()
    await library.invoke('books', { callbacks: [new CallbackHandler()] })
    await expect(library.invoke('fail', { callbacks: [new CallbackHandler()] })).rejects.toThrow('closed')
    const [found, failed] = [ended()[0]!, ended()[1]!]
    expect([found.name, observed(found, 'type'), observed(found, 'input')]).toEqual(['Library', 'span', 'books'])
    expect(observed(found, 'output')).toMatchObject([{ pageContent: 'books', metadata: { page: 1 } }])
    expect([observed(failed, 'level'), observed(failed, 'status_message')]).toEqual(['ERROR', 'Error: closed'])
  })

  test('actions of an agent are below its run, which ends', () => {
    const handler = new CallbackHandler()
    handler.handleChainStart({}, { input: 'Weather?' }, 'agent', undefined, [], {}, undefined, 'AgentExecutor')
    handler.handleAgentAction({ tool: 'weather' }, 'agent')
    handler.handleAgentAction({ tool: 'time' }, 'agent')
    handler.handleAgentEnd({ returnValues: { output: 'Sunny' } }, 'agent')
    handler.handleChainEnd({ output: 'Sunny' }, 'agent')
    expect(ended().map(({ name }) => name)).toEqual(['weather', 'time', 'AgentExecutor'])
    for (const name of ['weather', 'time']) expect(parentOf(named(name))).toBe(named('AgentExecutor').spanContext().spanId)
    expect(observed(named('time'), 'output')).toEqual({ returnValues: { output: 'Sunny' } })
    expect([observed(named('AgentExecutor'), 'input'), observed(named('AgentExecutor'), 'output')]).toEqual([
      { input: 'Weather?' },
      'Sunny',
    ])
  })
})

describe('odd reports', () => {
  test('the end of an unknown run is a warning', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const handler = new CallbackHandler()
    handler.handleChainEnd({}, 'unknown')
    handler.handleToolError(new Error('x'), 'unknown')
    expect(warn).toHaveBeenCalledTimes(2)
    expect(warn.mock.calls[0]![0]).toContain('unknown')
    expect(handler.last_trace_id).toBeNull()
  })

  test('an untested version of LangChain is recorded, with one warning', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const handler = new CallbackHandler()
    for (const [at, version] of ['2.0.1', '2.4.0', '1.9.0', undefined, 2].entries()) {
      handler.handleChatModelStart({}, [], `run-${at}`, undefined, {}, [], { versions: { '@langchain/core': version } })
      handler.handleLLMEnd({ generations: [] }, `run-${at}`)
    }
    expect(ended()).toHaveLength(5)
    expect(warn.mock.calls.map(([line]) => String(line))).toEqual([expect.stringContaining('@langchain/core 2.0.1 is not tested')])
  })

  test('no callback throws for any argument, and the run ends', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    )
    const handler = new CallbackHandler()
    for (const given of [undefined, null, 0, 'text', [], [null], {}, { generations: null }, { generations: [[]] }, hostile] as never[]) {
      handler.handleChainStart(given, given, 'chain', undefined, given, given)
      handler.handleChatModelStart(given, given, 'model', 'chain', given, given, given)
      handler.handleLLMNewToken('a', undefined, 'model')
      handler.handleChatModelStreamEvent(given, 'model')
      handler.handleLLMEnd(given, 'model')
      handler.handleToolStart(given, given, 'tool', 'chain', given, given)
      handler.handleToolEnd(given, 'tool')
      handler.handleRetrieverStart(given, given, 'retriever', 'chain', given, given)
      handler.handleRetrieverError(given, 'retriever')
      handler.handleAgentAction(given, 'chain')
      handler.handleAgentEnd(given, 'chain')
      handler.handleChainError(given, 'chain')
    }
    expect(warn).toHaveBeenCalled()
    expect(handler.last_trace_id).not.toBeNull()
  })

  test('a run below one that ended ends with the trace', () => {
    const handler = new CallbackHandler()
    handler.handleChainStart({}, {}, 'root', undefined, [], {}, undefined, 'root')
    handler.handleChatModelStart({}, [[new HumanMessage('Hello')]], 'left', 'root', {}, [], {}, 'left')
    handler.handleChainEnd({}, 'root')
    expect(ended().map(({ name }) => name)).toEqual(['root', 'left'])
  })

  test('hidden steps have the level DEBUG, and a handler that is passed twice records once', async () => {
    const handler = new CallbackHandler()
    await RunnableLambda.from(() => 'a').invoke('b', { callbacks: [handler], tags: ['langsmith:hidden'] })
    expect(observed(only(), 'level')).toBe('DEBUG')
    expect(handler.copy()).toBe(handler)
  })
})
