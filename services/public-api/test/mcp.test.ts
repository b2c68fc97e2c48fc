import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { operations } from '@svc-server/api/operations'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
let client: Client
beforeAll(async () => {
  opened = await openResources()
  client = new Client({ name: 'a test', version: '1' })
  const url = new URL(`http://127.0.0.1:${opened.api.port}/api/public/mcp`)
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: opened.authorization } } })
  await client.connect(transport as unknown as Transport)
})
afterAll(async () => {
  await client.close()
  await opened[Symbol.asyncDispose]()
})

interface TextContent {
  readonly text: string
}
async function call(name: string, given: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: given })
  const [content] = result.content as TextContent[]
  return { isError: result.isError === true, json: JSON.parse(content!.text) }
}

test('there is a tool for every published read of a project, and no other tool', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "annotationQueues_getQueue",
      "annotationQueues_getQueueItem",
      "annotationQueues_listQueueItems",
      "annotationQueues_listQueues",
      "comments_get",
      "comments_getById",
      "datasetItems_get",
      "datasetItems_list",
      "datasets_get",
      "datasets_list",
      "evaluationRules_get",
      "evaluationRules_list",
      "evaluators_get",
      "evaluators_list",
      "evaluators_listVersions",
      "experiments_list",
      "experiments_listItems",
      "llmConnections_list",
      "media_get",
      "metrics_metrics",
      "models_get",
      "models_list",
      "observations_getMany",
      "projects_get",
      "prompts_get",
      "prompts_list",
      "scoreConfigs_get",
      "scoreConfigs_getById",
      "scores_getMany",
      "unstable_dashboardWidgets_get",
      "unstable_dashboardWidgets_list",
      "unstable_dashboards_get",
      "unstable_dashboards_list",
      "unstable_skills_get",
      "unstable_skills_getFileContents",
      "unstable_skills_list",
    ]
  `)
  for (const { annotations, inputSchema, description } of tools)
    expect([annotations?.readOnlyHint, inputSchema.type, description === '']).toEqual([true, 'object', false])
  const versions = tools.find(({ name }) => name === 'evaluators_listVersions')
  expect(versions!.inputSchema).toMatchObject({
    required: ['evaluatorId'],
    properties: { limit: { type: 'integer', minimum: 1, maximum: 100 } },
  })
})

test('a tool returns the same data as the HTTP read, of the own project only', async () => {
  await opened.send('PUT', '/llm-connections', { provider: 'openai', adapter: 'openai', secretKey: 'sk-secret' })
  await opened.send('POST', '/unstable/dashboards', { name: 'a board' })
  for (const [name, path, given] of [
    ['llmConnections_list', '/llm-connections?limit=1', { limit: 1 }],
    ['unstable_dashboards_list', '/unstable/dashboards', {}],
    ['projects_get', '/projects', {}],
    ['prompts_list', '/v2/prompts', {}],
  ] as const) {
    expect(await call(name, given), name).toEqual({ isError: false, json: (await opened.send('GET', path)).json })
  }
  const { data } = (await opened.send('GET', '/unstable/dashboards')).json
  expect((await call('unstable_dashboards_get', { dashboardId: data[0].id })).json).toEqual(data[0])
})

test('a refusal becomes an error of the tool with the message of HTTP', async () => {
  expect(await call('evaluators_get', { evaluatorId: 'nothing' })).toEqual({
    isError: true,
    json: { message: 'Evaluator not found', code: 'resource_not_found' },
  })
  expect(await call('evaluators_list', { limit: 0 })).toMatchObject({ isError: true, json: { code: 'invalid_query' } })
  expect(await call('evaluators_get', {})).toMatchObject({ isError: true, json: { code: 'invalid_body' } })
  await expect(client.callTool({ name: 'evaluators_delete', arguments: {} })).rejects.toThrow('There is no tool')
})

test('prompts are listed, and filled with arguments', async () => {
  const prompt = [
    { role: 'system', content: 'You speak {{language}}.' },
    { role: 'assistant', content: '{{ greeting }} {{unknown}}' },
  ]
  await opened.send('POST', '/v2/prompts', { name: 'folder/greet', type: 'chat', prompt, labels: ['production'] })
  await opened.send('POST', '/v2/prompts', { name: 'plain', prompt: 'Second', labels: [] })
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['folder/greet', 'plain'])
  const filled = await client.getPrompt({ name: 'folder/greet', arguments: { language: 'German', greeting: '$& {{x}}' } })
  expect(filled.messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'You speak German.' } },
    { role: 'assistant', content: { type: 'text', text: '$& {{x}} {{unknown}}' } },
  ])
  expect((await client.getPrompt({ name: 'plain', arguments: { version: '1' } })).messages).toHaveLength(1)
  await expect(client.getPrompt({ name: 'plain' })).rejects.toThrow('Prompt not found')
})

test('notifications get 202, a batch of requests gets one response, and invalid messages get 400', async () => {
  const post = (body: unknown) => opened.send('POST', '/mcp', body)
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
  expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
  expect((await post([ping(1), ping(2)])).json).toEqual([1, 2].map(id => ({ jsonrpc: '2.0', id, result: {} })))
  expect((await post({ jsonrpc: '2.0', id: 'a', method: 'nothing' })).json).toMatchObject({ id: 'a', error: { code: -32601 } })
  for (const body of [{}, [], [{}], { jsonrpc: '1.0', id: 1, method: 'ping' }])
    expect((await post(body)).status, JSON.stringify(body)).toBe(400)
  expect((await opened.send('GET', '/mcp')).status).toBe(405)
  expect((await opened.sendAsOrganization('POST', '/mcp', ping(1))).status).toBe(403)
})

test('each tool responds as HTTP does, whatever its arguments', async () => {
  const { tools } = await client.listTools()
  const path = new Map(operations.map(operation => [operation.id.replaceAll('.', '_'), operation.path]))
  for (const { name, inputSchema } of tools) {
    const names = Object.keys(inputSchema.properties ?? {})
    const inPath = names.filter(each => path.get(name)!.includes(`{${each}}`))
    const given = Object.fromEntries(inPath.map(each => [each, 'x']))
    const url = inPath.reduce((text, each) => text.replace(`{${each}}`, 'x'), path.get(name)!)
    const { status, json } = await opened.send('GET', url.replace('/api/public', ''))
    expect(await call(name, given), name).toEqual({ isError: status >= 400, json })
    expect(await call(name, { ...given, limit: 'many', page: {}, [`${'x'.repeat(300)}`]: null }), name).toBeDefined()
  }
})

test('hostile exchanges end: canceled requests, equal ids, unknown sessions, prompts and tools of any name', async () => {
  const post = (body: unknown, headers: Record<string, string> = {}) => opened.send('POST', '/mcp', body, { headers })
  const list = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/list' })
  const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  for (const batch of [
    [list(1), cancel(1)],
    [cancel(1), list(1)],
  ])
    expect((await post(batch)).json).toMatchObject([{ id: 1, result: {} }])
  expect((await post(cancel(1))).status).toBe(202)
  expect((await post([list(1), list(1)])).json).toHaveLength(2)
  expect((await post(Array.from({ length: 21 }, (_, id) => list(id)))).status).toBe(400)
  for (const id of ['', 'x'.repeat(5_000), '../../x', 'a b', '0'])
    expect((await post(list(1), { 'mcp-session-id': id })).status, id).toBe(200)
  for (const name of ['', '__proto__', 'constructor', 'x'.repeat(10_000)]) {
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })).json.error, name).toBeDefined()
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name } })).json.error, name).toBeDefined()
  }
  expect((await opened.api.send('POST', '/api/public/mcp', { authorization: null, body: list(1) })).status).toBe(401)
  expect((await opened.send('DELETE', '/mcp')).status).toBe(405)
})

test('an unsupported protocol version gets 400; supported versions and requests without a version are served', async () => {
  const exchange = (version?: string) =>
    opened.send(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      version === undefined ? {} : { headers: { 'mcp-protocol-version': version } },
    )
  for (const version of [undefined, '2025-03-26', '2025-06-18', LATEST_PROTOCOL_VERSION])
    expect((await exchange(version)).status, version).toBe(200)
  for (const version of ['', '1', '2099-01-01', '2025-06-18, 2025-03-26', 'x'.repeat(5_000)]) {
    const { status, json } = await exchange(version)
    expect([status, json.error], version).toEqual([400, 'InvalidRequestError'])
  }
})
