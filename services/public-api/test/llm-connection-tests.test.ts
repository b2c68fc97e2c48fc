import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
let provider: Server
let baseURL: string
let respond: RequestListener
beforeAll(async () => {
  opened = await openResources({ outboundAllowed: ['127.0.0.1'] })
  provider = createServer((request, response) => respond(request, response))
  await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
  baseURL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await opened[Symbol.asyncDispose]()
})

const secretKey = 'sk-in-clear-1234'
const connect = async (more: object = {}) =>
  (await opened.send('PUT', '/llm-connections', { provider: 'tested', adapter: 'openai', secretKey, baseURL, ...more })).json.id as string
const completion = (content: string) =>
  JSON.stringify({
    ...{ id: 'a', object: 'chat.completion', created: 1, model: 'a', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  })

test('a model that responds with the value is reported as working, called with the stored secrets', async () => {
  const asked: unknown[] = []
  respond = ({ headers }, response) => {
    asked.push([headers.authorization, headers['x-team']])
    response.setHeader('content-type', 'application/json').end(completion('{"ok":true}'))
  }
  const id = await connect({ customModels: ['first', 'second'], extraHeaders: { 'x-team': 'header-in-clear' } })
  const { status, json } = await opened.send('POST', `/llm-connections/${id}/test`)
  const none = { reason: null, message: null, providerStatus: null }
  expect([status, json]).toEqual([200, { ok: true, model: 'first', durationMs: expect.any(Number), ...none }])
  expect(asked).toEqual([[`Bearer ${secretKey}`, 'header-in-clear']])
  expect((await opened.send('POST', `/llm-connections/${id}/test`, { model: 'second' })).json.model).toBe('second')
  await connect({ customModels: [] })
  expect((await opened.send('POST', `/llm-connections/${id}/test`, {})).json).toMatchObject({ ok: true, model: 'gpt-4.1-mini' })
})

test('a refusal has a reason, and no response, log line or audit entry contains a secret', async () => {
  respond = ({ headers }, response) => {
    const message = `Incorrect API key provided: ${headers.authorization} ${headers['x-team']}`
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message, type: 'a', code: 'invalid_api_key' } }))
  }
  const id = await connect({ extraHeaders: { 'x-team': 'header-in-clear' } })
  const { status, json, text } = await opened.send('POST', `/llm-connections/${id}/test`, { model: 'a' })
  expect([status, json]).toMatchObject([200, { ok: false, reason: 'authentication', providerStatus: 401 }])
  expect(json.message).toContain('Incorrect API key provided: Bearer ***')
  const audit = await opened.store.db.selectFrom('audit_logs').selectAll().execute()
  for (const secret of [secretKey, 'header-in-clear'])
    expect(text + opened.api.logLines.join('') + JSON.stringify(audit)).not.toContain(secret)
})

test('a call to a stored internal address is refused', async () => {
  const id = await connect()
  for (const inside of ['http://10.0.0.1/v1', 'http://[::1]/v1', 'http://models.internal/v1', `http://user:password@${baseURL.slice(7)}`]) {
    await opened.store.db.updateTable('llm_api_keys').set({ base_url: inside }).where('id', '=', id).execute()
    const { json } = await opened.send('POST', `/llm-connections/${id}/test`, { model: 'a' })
    expect(json, inside).toMatchObject({ ok: false, reason: 'address_refused', providerStatus: null })
  }
})

test('tests are refused for unknown or foreign ids, invalid bodies, and Azure without a model', async () => {
  const id = await connect()
  expect((await opened.sendOther('POST', `/llm-connections/${id}/test`, {})).status).toBe(404)
  expect((await opened.send('POST', '/llm-connections/unknown/test', {})).json).toMatchObject({ message: 'LLM connection not found' })
  expect((await opened.send('POST', `/llm-connections/${id}/test`, { model: '' })).status).toBe(400)
  expect((await opened.send('POST', `/llm-connections/${id}/test`, { model: 1 })).status).toBe(400)
  expect((await opened.send('POST', `/llm-connections/${id}/test`, [])).status).toBe(400)
  const azure = await connect({ provider: 'azure', adapter: 'azure' })
  expect((await opened.send('POST', `/llm-connections/${azure}/test`, {})).status).toBe(400)
  expect((await opened.send('POST', `/llm-connections/${azure}/test`, { model: '../a' })).json).toMatchObject({
    ok: false,
    reason: 'misconfigured',
  })
})
