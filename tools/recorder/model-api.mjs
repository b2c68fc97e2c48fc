// A stub of the model APIs of OpenAI and Anthropic on the loopback address.
import { createServer } from 'node:http'
import { answerTo, errorBody, pieces, usage, vector } from './answers.mjs'

const created = 1_760_000_000

const chatUsage = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cachedInput, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: usage.reasoning,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

const chatToolCalls = answer => [
  { id: answer.callId, type: 'function', function: { name: answer.tool, arguments: JSON.stringify(answer.args) } },
]

function chatCompletion(request, answer) {
  const message =
    answer.kind === 'tool'
      ? { role: 'assistant', content: null, refusal: null, tool_calls: chatToolCalls(answer) }
      : { role: 'assistant', content: answer.text, refusal: null, annotations: [] }
  return {
    id: 'chatcmpl-fixture',
    object: 'chat.completion',
    created,
    model: `${request.model}-2025-08-07`,
    choices: [{ index: 0, message, logprobs: null, finish_reason: answer.kind === 'tool' ? 'tool_calls' : 'stop' }],
    usage: chatUsage,
    service_tier: 'default',
    system_fingerprint: 'fp_fixture',
  }
}

function* chatStream(request, answer) {
  const chunk = (choices, more = {}) => ({
    data: {
      id: 'chatcmpl-fixture',
      object: 'chat.completion.chunk',
      created,
      model: `${request.model}-2025-08-07`,
      system_fingerprint: 'fp_fixture',
      choices,
      ...more,
    },
  })
  const delta = (value, finish_reason = null) => chunk([{ index: 0, delta: value, logprobs: null, finish_reason }])
  if (answer.kind === 'tool') {
    yield delta({ role: 'assistant', content: null, tool_calls: chatToolCalls(answer).map((call, index) => ({ index, ...call })) })
    yield delta({}, 'tool_calls')
  } else {
    yield delta({ role: 'assistant', content: '' })
    for (const content of pieces(answer.text)) yield delta({ content })
    yield delta({}, 'stop')
  }
  if (request.stream_options?.include_usage) yield chunk([], { usage: chatUsage })
  yield { data: '[DONE]' }
}

const responsesUsage = {
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: usage.cachedInput },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: usage.input + usage.output,
}

const responsesItem = answer =>
  answer.kind === 'tool'
    ? {
        type: 'function_call',
        id: 'fc_fixture',
        call_id: answer.callId,
        name: answer.tool,
        arguments: JSON.stringify(answer.args),
        status: 'completed',
      }
    : {
        type: 'message',
        id: 'msg_fixture',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: answer.text, annotations: [], logprobs: [] }],
      }

const response = (request, answer) => ({
  id: 'resp_fixture',
  object: 'response',
  created_at: created,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: request.instructions ?? null,
  model: `${request.model}-2025-08-07`,
  output: [responsesItem(answer)],
  parallel_tool_calls: true,
  temperature: request.temperature ?? 1,
  tool_choice: request.tool_choice ?? 'auto',
  tools: request.tools ?? [],
  top_p: 1,
  service_tier: 'default',
  usage: responsesUsage,
})

function* responseStream(request, answer) {
  let sequence_number = 0
  const event = (type, fields) => ({ event: type, data: { type, sequence_number: sequence_number++, ...fields } })
  const whole = response(request, answer)
  const item = responsesItem(answer)
  yield event('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } })
  if (answer.kind === 'tool') {
    yield event('response.output_item.added', { output_index: 0, item: { ...item, arguments: '', status: 'in_progress' } })
    yield event('response.function_call_arguments.delta', { item_id: item.id, output_index: 0, delta: item.arguments })
    yield event('response.function_call_arguments.done', { item_id: item.id, output_index: 0, arguments: item.arguments })
  } else {
    yield event('response.output_item.added', { output_index: 0, item: { ...item, content: [], status: 'in_progress' } })
    const place = { item_id: item.id, output_index: 0, content_index: 0 }
    yield event('response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [], logprobs: [] } })
    for (const delta of pieces(answer.text)) yield event('response.output_text.delta', { ...place, delta, logprobs: [] })
    yield event('response.output_text.done', { ...place, text: answer.text, logprobs: [] })
    yield event('response.content_part.done', { ...place, part: item.content[0] })
  }
  yield event('response.output_item.done', { output_index: 0, item })
  yield event('response.completed', { response: whole })
}

function embeddings(request) {
  const inputs = Array.isArray(request.input) ? request.input : [request.input]
  const packed = Buffer.from(Float32Array.from(vector).buffer).toString('base64')
  return {
    object: 'list',
    data: inputs.map((_, index) => ({ object: 'embedding', index, embedding: request.encoding_format === 'base64' ? packed : vector })),
    model: request.model,
    usage: { prompt_tokens: 6 * inputs.length, total_tokens: 6 * inputs.length },
  }
}

// In Anthropic's API, input tokens do not include cached tokens.
const messagesUsage = {
  input_tokens: usage.input - usage.cachedInput - usage.cacheWrite,
  cache_creation_input_tokens: usage.cacheWrite,
  cache_read_input_tokens: usage.cachedInput,
  cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 1 },
  output_tokens: usage.output,
  service_tier: 'standard',
}

const messageBlock = answer =>
  answer.kind === 'tool'
    ? { type: 'tool_use', id: 'toolu_fixture', name: answer.tool, input: answer.args }
    : { type: 'text', text: answer.text }

const anthropicMessage = (request, answer) => ({
  id: 'msg_fixture',
  type: 'message',
  role: 'assistant',
  model: request.model,
  content: [messageBlock(answer)],
  stop_reason: answer.kind === 'tool' ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: messagesUsage,
})

function* messageStream(request, answer) {
  const event = (type, fields) => ({ event: type, data: { type, ...fields } })
  const message = anthropicMessage(request, answer)
  const block = messageBlock(answer)
  yield event('message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...messagesUsage, output_tokens: 1 } } })
  const empty = answer.kind === 'tool' ? { ...block, input: {} } : { type: 'text', text: '' }
  yield event('content_block_start', { index: 0, content_block: empty })
  const deltas =
    answer.kind === 'tool'
      ? [{ type: 'input_json_delta', partial_json: JSON.stringify(answer.args) }]
      : pieces(answer.text).map(text => ({ type: 'text_delta', text }))
  for (const delta of deltas) yield event('content_block_delta', { index: 0, delta })
  yield event('content_block_stop', { index: 0 })
  yield event('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output } })
  yield event('message_stop', {})
}

const routes = {
  '/v1/chat/completions': { whole: chatCompletion, stream: chatStream },
  '/v1/responses': { whole: response, stream: responseStream },
  '/v1/messages': { whole: anthropicMessage, stream: messageStream },
  '/v1/embeddings': { whole: embeddings },
}

const eventText = ({ event, data }) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

async function answer(req, res) {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const route = routes[new URL(req.url, 'http://model').pathname]
  if (route === undefined) return res.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(errorBody))
  const request = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const reply = answerTo(request)
  if (reply.kind === 'error') return res.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(errorBody))
  if (!request.stream) {
    return res
      .writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_fixture' })
      .end(JSON.stringify(route.whole(request, reply)))
  }
  res.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_fixture' })
  for (const event of route.stream(request, reply)) {
    res.write(eventText(event))
    // Sends one chunk per iteration of the event loop. A client can then measure the time until the first chunk.
    await new Promise(resolve => setImmediate(resolve))
  }
  return res.end()
}

/** Starts the model API. Payloads contain its port (`server.port`), so the port is constant. */
export async function startModelApi(port = 8399) {
  const server = createServer((req, res) => {
    answer(req, res).catch(error => res.destroy(error))
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}
