import { createCipher } from '@svc-server/secrets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send: OpenedResources['send'] = (...request) => opened.send(...request)
const put = (body: object) => send('PUT', '/llm-connections', body)
const secret = 'sk-in-clear-1234'
const full = {
  provider: 'my openai',
  adapter: 'openai',
  secretKey: secret,
  baseURL: 'https://models.example.com/v1',
  customModels: ['a-model', 'b/model'],
  withDefaultModels: false,
  extraHeaders: { 'x-team': 'header-in-clear', 'X-Other': '' },
  config: { useResponsesApi: true },
}

test('a connection is created with every field, replaced as a whole, listed and deleted', async () => {
  const made = await put(full)
  const { secretKey: _, extraHeaders: __, ...shown } = full
  const view = {
    ...shown,
    id: expect.any(String),
    displaySecretKey: '...1234',
    extraHeaderKeys: ['x-team', 'X-Other'],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  }
  expect([made.status, made.json]).toEqual([201, view])
  const { id, createdAt } = made.json
  const listed = await send('GET', '/llm-connections')
  expect(listed.json).toEqual({ data: [made.json], meta: { page: 1, limit: 50, totalItems: 1, totalPages: 1 } })

  const replaced = await put({ provider: 'my openai', adapter: 'anthropic', secretKey: 'short' })
  const plain = { baseURL: null, customModels: [], withDefaultModels: true, extraHeaderKeys: [], config: null }
  expect([replaced.status, replaced.json]).toEqual([
    200,
    { id, provider: 'my openai', adapter: 'anthropic', displaySecretKey: '...hort', ...plain, createdAt, updatedAt: expect.any(String) },
  ])
  expect((await opened.sendOther('GET', '/llm-connections')).json.data).toEqual([])
  expect((await opened.sendOther('DELETE', `/llm-connections/${id}`)).status).toBe(404)
  const gone = await send('DELETE', `/llm-connections/${id}`)
  expect([gone.status, gone.json]).toEqual([200, { message: 'LLM connection successfully deleted' }])
  expect((await send('DELETE', `/llm-connections/${id}`)).json).toEqual({ message: 'LLM connection not found', error: 'SvcNotFoundError' })
  expect(await opened.audit(id)).toEqual(['create llmApiKey', 'update llmApiKey', 'delete llmApiKey'])
})

test('a database dump contains no secret in clear text, and the key decrypts its secrets', async () => {
  await put({ ...full, provider: 'dumped' })
  const { db } = opened.store
  const rows = await db.selectFrom('llm_api_keys').selectAll().where('provider', '=', 'dumped').execute()
  const dump = JSON.stringify([rows, await db.selectFrom('audit_logs').selectAll().execute()])
  for (const text of [secret, 'header-in-clear', Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')])
    expect(dump).not.toContain(text)
  const cipher = createCipher({ key: 'ab'.repeat(32) })
  expect(cipher.decrypt(rows[0]!.secret_key)).toBe(secret)
  expect(JSON.parse(cipher.decrypt(rows[0]!.extra_headers!))).toEqual(full.extraHeaders)
})

test('base URLs with internal addresses are refused, and a stored base URL is kept', async () => {
  const inside = [
    ...['http://127.0.0.1/v1', 'http://[::1]/v1', 'http://169.254.169.254/latest', 'http://2130706433/', 'https://[::ffff:10.0.0.1]'],
    ...['https://models.internal/v1', 'https://user:password@models.example.com', 'file:///etc/passwd', 'models.example.com/v1', 'x'],
    ...['https://models.example.com/v1?key=sk-in-clear', 'https://models.example.com/v1#sk-in-clear', 'http://0300.0250.1.1/v1'],
  ]
  for (const baseURL of inside) {
    const { status, json } = await put({ ...full, provider: 'inside', baseURL })
    expect([status, json.error], baseURL).toEqual([400, 'InvalidRequestError'])
  }
  const { db } = opened.store
  await put({ ...full, provider: 'kept' })
  await db.updateTable('llm_api_keys').set({ base_url: 'http://10.0.0.1' }).where('provider', '=', 'kept').execute()
  expect((await put({ ...full, provider: 'kept', baseURL: 'http://10.0.0.1' })).status).toBe(200)
  expect((await put({ ...full, provider: 'kept', baseURL: 'http://10.0.0.2' })).status).toBe(400)
})

test('each adapter accepts only its own form of configuration and secret', async () => {
  const keys = JSON.stringify({ accessKeyId: 'AKIA', secretAccessKey: 'wxyz' })
  const taken = [
    [{ adapter: 'bedrock', secretKey: keys, config: { region: 'eu-west-1' } }, '...wxyz'],
    [{ adapter: 'bedrock', secretKey: '{"apiKey":"abcdef"}', config: { region: 'eu-west-1' } }, '...cdef'],
    [
      { adapter: 'bedrock', secretKey: '__BEDROCK_DEFAULT_CREDENTIALS__', config: { region: 'eu-west-1' } },
      'Default credentials of the server',
    ],
    [{ adapter: 'google-vertex-ai', secretKey: '{"a":"1234"}', config: { location: 'global' } }, '...1234'],
    [{ adapter: 'azure', secretKey: 'abcd', config: {} }, '...abcd'],
    [{ adapter: 'google-ai-studio', secretKey: 'abcd', config: null }, '...abcd'],
  ] as const
  for (const [given, displayed] of taken) {
    const { status, json } = await put({ provider: 'adapters', ...given })
    expect([status < 300, json.adapter, json.displaySecretKey], JSON.stringify(given)).toEqual([true, given.adapter, displayed])
  }
  const refused = [
    { adapter: 'bedrock', secretKey: keys },
    { adapter: 'bedrock', secretKey: 'plain', config: { region: 'a' } },
    { adapter: 'bedrock', secretKey: keys, config: { region: 'a', other: 1 } },
    { adapter: 'anthropic', secretKey: 'a', config: { region: 'a' } },
    { adapter: 'openai', secretKey: 'a', config: { useResponsesApi: 'yes' } },
    { adapter: 'other', secretKey: 'a' },
    { adapter: 'openai', secretKey: '' },
    { adapter: 'openai', secretKey: 'a', provider: '' },
    { adapter: 'openai', secretKey: 'a', extraHeaders: { 'a b': 'c' } },
    { adapter: 'openai', secretKey: 'a', extraHeaders: { a: 'c\r\nd: e' } },
  ]
  for (const given of refused) expect((await put({ provider: 'adapters', ...given })).status, JSON.stringify(given)).toBe(400)
})

test('twenty concurrent writes for one provider create one connection', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => put({ ...full, provider: 'raced' })))
  expect(made.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
  expect(new Set(made.map(({ json }) => json.id)).size).toBe(1)
})
