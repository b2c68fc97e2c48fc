// The two newest major versions of the OpenAI client. Both use the same server.
import { OpenAI } from 'openai'
import { OpenAI as OpenAI6 } from 'openai-6'
import { afterAll, beforeAll } from 'vitest'
import { type OpenAiServer, openAiServer } from './server.ts'

export const majors = [
  ['7', OpenAI],
  // The types of the two versions differ only in parts that the tests do not use.
  ['6', OpenAI6 as unknown as typeof OpenAI],
] as const

export interface Fixture {
  readonly server: OpenAiServer
  client(): OpenAI
}

export function clientOf(Client: typeof OpenAI): Fixture {
  let server: OpenAiServer
  beforeAll(async () => {
    server = await openAiServer()
  })
  afterAll(() => server.close())
  return {
    get server() {
      return server
    },
    client: () => new Client({ apiKey: 'sk-test', baseURL: server.url, maxRetries: 0 }),
  }
}
