// A stub of OpenAI's server. The stub supports only the parts of the protocol that the tests need.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Received {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Responder {
  json(body: unknown, status?: number): void
  event(data: unknown, type?: string): void
  done(): void
  destroy(): void
  readonly disconnected: Promise<void>
}

export interface OpenAiServer {
  readonly url: string
  readonly received: Received[]
  respond(with_: (responder: Responder, request: Received) => void): void
  close(): Promise<void>
}

function responderOf(response: ServerResponse): Responder {
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' })
  }
  return {
    json: (body, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1' }).end(JSON.stringify(body)),
    event(data, type) {
      begin()
      response.write(`${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    },
    done() {
      begin()
      response.end('data: [DONE]\n\n')
    },
    destroy: () => void response.destroy(),
    disconnected: new Promise(resolve => response.on('close', resolve)),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Received['body']> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text ? (JSON.parse(text) as Received['body']) : {}
}

export async function openAiServer(): Promise<OpenAiServer> {
  const received: Received[] = []
  let act: (responder: Responder, request: Received) => void = responder => responder.json({}, 500)
  const server = createServer((request, response) => {
    void bodyOf(request).then(body => {
      const each = { path: request.url!, body }
      received.push(each)
      act(responderOf(response), each)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    respond(with_) {
      act = with_
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const usage = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 16, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 8, accepted_prediction_tokens: 0 },
}

export const usageByKind = {
  input: 4,
  input_cached_tokens: 16,
  input_audio_tokens: 0,
  output: 2,
  output_reasoning_tokens: 8,
  output_accepted_prediction_tokens: 0,
  total: 30,
}

export const completion = (message: object) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-test-2026',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  usage,
})

export const chunk = (delta: object, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'gpt-test-2026',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
})

export const usageChunk = chunk({}, { choices: [], usage })

const responseUsage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 16 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 30,
}
export const responseUsageByKind = { input: 4, input_cached_tokens: 16, output: 2, output_reasoning_tokens: 8, total: 30 }

export const textItem = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

export const response = (output: readonly object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  model: 'gpt-test-2026',
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: 'Be brief.',
  max_output_tokens: 100,
  metadata: { plan: 'pro' },
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: 'low', summary: null },
  store: false,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: responseUsage,
  ...more,
})
