import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: bodies of six providers
  readonly body: any
}

export type Respond = (response: ServerResponse, asked: Asked) => void

export interface PlayedProvider extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
  respond: Respond
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Respond =>
  response =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export async function playProvider(): Promise<PlayedProvider> {
  const asked: Asked[] = []
  const server: Server = createServer(async (request, response) => {
    const sent = await text(request)
    const body = /json/.test(request.headers['content-type'] ?? '') ? JSON.parse(sent) : sent
    const one = { path: request.url!, headers: request.headers, body }
    asked.push(one)
    played.respond(response, one)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const played: PlayedProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    respond: json(500, {}),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return played
}

const chatCompletion = (value: string) => ({
  ...{ id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT', object: 'chat.completion', created: 1741569952, model: 'gpt-4.1-mini-2025-04-14' },
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: value, refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
  ...{ service_tier: 'default', system_fingerprint: null },
})

const geminiContent = (value: string) => ({
  candidates: [{ content: { parts: [{ text: value }], role: 'model' }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
  ...{ modelVersion: 'gemini-2.5-flash', responseId: 'R0FBaOq5JvWAmtkP' },
})

/** Successful responses as in the API reference of each provider. */
export const successes = {
  openai: chatCompletion,
  azure: chatCompletion,
  'openai responses': (value: string) => ({
    ...{ id: 'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b', object: 'response', created_at: 1741476542, status: 'completed' },
    ...{ error: null, incomplete_details: null, instructions: null, model: 'gpt-4.1-mini-2025-04-14' },
    output: [
      {
        ...{ type: 'message', id: 'msg_67ccd2bf17f0819081ff3bb2cf6508e6', status: 'completed', role: 'assistant' },
        content: [{ type: 'output_text', text: value, annotations: [] }],
      },
    ],
    usage: {
      ...{ input_tokens: 36, input_tokens_details: { cached_tokens: 0 }, output_tokens: 8, total_tokens: 44 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }),
  anthropic: (value: string) => ({
    ...{ id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' },
    content: [{ type: 'text', text: value }],
    ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 12, output_tokens: 8 } },
  }),
  bedrock: (value: string) => ({
    metrics: { latencyMs: 551 },
    output: { message: { content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'json', input: JSON.parse(value) } }], role: 'assistant' } },
    ...{ stopReason: 'tool_use', usage: { inputTokens: 20, outputTokens: 8, totalTokens: 28 } },
  }),
  'google-vertex-ai': geminiContent,
  'google-ai-studio': geminiContent,
} as const
