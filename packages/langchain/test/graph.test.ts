// Runs graphs of LangGraph with nodes, tools and interrupts, and checks the recorded observations.
import { type AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Annotation, Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { expect, test } from 'vitest'
import { CallbackHandler } from '../src/index.ts'
import { answer, TestModel } from './model.ts'
import { ended, named, observed, recordObservations } from './recorded.ts'

recordObservations()

const config = (handler: CallbackHandler) => ({ callbacks: [handler], configurable: { thread_id: '1' } })

test('a graph with a model and a tool is one trace with the values of the handler on every observation', async () => {
  const calls = [{ id: 'call_1', name: 'weather', args: { city: 'Rome' }, type: 'tool_call' as const }]
  const weather = tool(async () => 'Sunny', {
    name: 'weather',
    description: '',
    schema: { type: 'object', properties: { city: { type: 'string' } } } as const,
  })
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => {
      const isFirst = messages.at(-1) instanceof HumanMessage
      return {
        messages: [await new TestModel({ reply: answer(isFirst ? '' : 'Sunny!', { tool_calls: isFirst ? calls : [] }) }).invoke(messages)],
      }
    })
    .addNode('tools', new ToolNode([weather]))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) => ((messages.at(-1) as AIMessage).tool_calls?.length ? 'tools' : END), ['tools', END])
    .addEdge('tools', 'agent')
    .compile()
  const handler = new CallbackHandler({ userId: 'user-1', sessionId: 'session-1', tags: ['mine'], traceMetadata: { plan: 'pro' } })
  await graph.invoke({ messages: [new HumanMessage('Weather?')] }, { callbacks: [handler] })
  const root = named('LangGraph')
  expect(ended().filter(({ name }) => name === 'TestModel')).toHaveLength(2)
  expect(observed(named('weather'), 'type')).toBe('tool')
  for (const span of ended()) {
    expect(span.spanContext().traceId).toBe(root.spanContext().traceId)
    expect(span.attributes).toMatchObject({ 'user.id': 'user-1', 'session.id': 'session-1', 'svc.trace.metadata.plan': 'pro' })
    expect(span.attributes['svc.trace.tags']).toEqual(['mine'])
  }
  expect(named('TestModel').parentSpanContext?.spanId).toBe(named('agent').spanContext().spanId)
  expect(observed(root, 'input')).toEqual([{ role: 'user', content: 'Weather?' }])
  expect(observed(root, 'output')).toEqual([
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: '', tool_calls: calls },
    { role: 'weather', content: 'Sunny', tool_call_id: 'call_1' },
    { role: 'assistant', content: 'Sunny!' },
  ])
  expect(observed(named('agent'), 'metadata.langgraph_node')).toBe('agent')
  expect(handler.last_trace_id).toBe(root.spanContext().traceId)
})

test('an interrupt is not an error, and the graph continues in another trace', async () => {
  const graph = new StateGraph(Annotation.Root({ answer: Annotation<string> }))
    .addNode('ask', () => ({ answer: interrupt('Sure?') as string }))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer: new MemorySaver() })
  const handler = new CallbackHandler()
  await graph.invoke({ answer: '' }, config(handler))
  expect(observed(named('ask'), 'level')).toBe('DEFAULT')
  expect(String(observed(named('ask'), 'status_message'))).toContain('Sure?')
  expect(ended().map(span => observed(span, 'level'))).not.toContain('ERROR')
  const result = await graph.invoke(new Command({ resume: 'yes' }), config(handler))
  expect(result.answer).toBe('yes')
  expect(ended().filter(({ name }) => name === 'LangGraph')).toHaveLength(2)
})

test('a node that throws is an error, up to the graph', async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('fail', () => {
      throw new Error('broken')
    })
    .addEdge(START, 'fail')
    .compile()
  await expect(graph.invoke({ messages: [] }, { callbacks: [new CallbackHandler()] })).rejects.toThrow('broken')
  for (const name of ['fail', 'LangGraph']) expect(observed(named(name), 'level')).toBe('ERROR')
})
