import { generateKeyPairSync } from 'node:crypto'
import { createOutbound } from '@svc-server/outbound'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ModelConnection } from '../src/connection.ts'
import { createModels, type ModelsOptions } from '../src/models.ts'
import { json, type PlayedProvider, playProvider, type Respond, successes } from './provider.ts'

const loopback = createOutbound({ allowed: ['127.0.0.0/8'] })
const tokenUrl = 'https://oauth2.googleapis.com/token'
let provider: PlayedProvider
beforeAll(async () => {
  provider = await playProvider()
})
beforeEach(() => {
  provider.asked.length = 0
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await loopback.close()
})

/** Sends requests for Google's token address to the test server too. */
const outbound: ModelsOptions['outbound'] = {
  fetch: (input, init) => loopback.fetch(String(input) === tokenUrl ? `${provider.url}/token` : input, init),
}
const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const keyFile = {
  type: 'service_account',
  project_id: 'a-project',
  client_email: 'a@a-project.iam.gserviceaccount.com',
  private_key: privateKey,
  token_uri: 'http://127.0.0.1:1/stolen',
}
const secret = 'sk-in-clear-1234'
const connections = {
  openai: { adapter: 'openai', secretKey: secret, path: '/v1', config: null },
  'openai responses': { adapter: 'openai', secretKey: secret, path: '/v1', config: { useResponsesApi: true } },
  anthropic: { adapter: 'anthropic', secretKey: secret, path: '', config: null },
  azure: { adapter: 'azure', secretKey: secret, path: '/openai/deployments', config: null },
  bedrock: {
    adapter: 'bedrock',
    secretKey: JSON.stringify({ accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' }),
    path: '',
    config: { region: 'eu-west-1' },
  },
  'google-vertex-ai': { adapter: 'google-vertex-ai', secretKey: JSON.stringify(keyFile), path: '', config: { location: 'europe-west4' } },
  'google-ai-studio': { adapter: 'google-ai-studio', secretKey: secret, path: '/', config: null },
} as const
type Name = keyof typeof connections
const names = Object.keys(connections) as Name[]

const connectionOf = (name: Name, more: Partial<ModelConnection> = {}): ModelConnection => {
  const { path, ...connection } = connections[name]
  return { ...connection, baseURL: `${provider.url}${path}`, extraHeaders: { 'x-team': 'header-in-clear' }, ...more }
}

const schema = {
  ...{ type: 'object', properties: { grade: { type: 'integer', minimum: 1 } }, required: ['grade'], additionalProperties: false },
}
const generate = (connection: ModelConnection, options: Partial<ModelsOptions> = {}, model = 'a-model') =>
  createModels({ outbound, ...options }).generate({ owner: 'project-0', maxRetries: 0, connection, model, prompt: 'Grade it.', schema })

/** Responds to token requests with a token. All other requests get the response of `respond`. */
function whenAsked(respond: Respond): void {
  provider.respond = (response, asked) =>
    (asked.path === '/token' ? json(200, { access_token: 'token-in-clear', expires_in: 3599, token_type: 'Bearer' }) : respond)(
      response,
      asked,
    )
}

const expectations: Readonly<Record<Name, readonly [path: string, headers: object]>> = {
  openai: ['/v1/chat/completions', { authorization: `Bearer ${secret}` }],
  'openai responses': ['/v1/responses', { authorization: `Bearer ${secret}` }],
  anthropic: ['/v1/messages', { 'x-api-key': secret, 'anthropic-version': expect.any(String) }],
  azure: ['/openai/deployments/a-model/chat/completions?api-version=2025-02-01-preview', { 'api-key': secret }],
  bedrock: [
    '/model/a-model/converse',
    { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request/) },
  ],
  'google-vertex-ai': [
    '/v1/projects/a-project/locations/europe-west4/publishers/google/models/a-model:generateContent',
    { authorization: 'Bearer token-in-clear' },
  ],
  'google-ai-studio': ['/v1beta/models/a-model:generateContent', { 'x-goog-api-key': secret }],
}

test.each(names)('%s: returns a valid value from a request in the provider’s form', async name => {
  whenAsked(json(200, successes[name]('{"grade":3}')))
  expect(await generate(connectionOf(name))).toEqual({ kind: 'value', value: { grade: 3 }, durationMs: expect.any(Number) })
  const { path, headers, body } = provider.asked.at(-1)!
  const [expectedPath, expectedHeaders] = expectations[name]
  expect(path).toBe(expectedPath)
  expect(headers).toMatchObject({ 'x-team': 'header-in-clear', ...expectedHeaders })
  expect(JSON.stringify(body)).toContain('"grade"')
})

test.each(names)('%s: rejects a value that violates the schema', async name => {
  for (const value of ['{"grade":0}', '{"grade":"3"}', '{}']) {
    whenAsked(json(200, successes[name](value)))
    expect(await generate(connectionOf(name)), value).toMatchObject({ kind: 'problem', problem: { reason: 'response_invalid' } })
  }
})

const openAiError = (message: string, code: string) => ({ error: { message, type: 'invalid_request_error', param: null, code } })
const anthropicError = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
})
const googleError = (code: number, status: string, message: string) => ({ error: { code, message, status } })

const failures: readonly (readonly [Name, number, unknown, string])[] = [
  [
    'openai',
    401,
    openAiError(`Incorrect API key provided: ${secret}. You can find your API key at …`, 'invalid_api_key'),
    'authentication',
  ],
  ['openai', 404, openAiError('The model `a-model` does not exist or you do not have access to it.', 'model_not_found'), 'not_found'],
  ['openai', 429, openAiError('You exceeded your current quota', 'insufficient_quota'), 'rate_limited'],
  ['openai', 400, openAiError("Invalid schema for response_format 'response'", 'invalid_json_schema'), 'rejected'],
  ['openai responses', 401, openAiError(`Incorrect API key provided: ${secret}.`, 'invalid_api_key'), 'authentication'],
  ['azure', 401, { statusCode: 401, message: 'Access denied due to invalid subscription key' }, 'authentication'],
  ['azure', 404, { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } }, 'not_found'],
  ['anthropic', 401, anthropicError('authentication_error', 'invalid x-api-key'), 'authentication'],
  ['anthropic', 403, anthropicError('permission_error', 'Your API key does not have permission'), 'authentication'],
  ['anthropic', 404, anthropicError('not_found_error', 'model: a-model'), 'not_found'],
  ['anthropic', 529, anthropicError('overloaded_error', 'Overloaded'), 'unavailable'],
  ['bedrock', 403, { message: 'The security token included in the request is invalid.' }, 'authentication'],
  ['bedrock', 400, { message: 'The provided model identifier is invalid.' }, 'rejected'],
  ['google-ai-studio', 400, googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'), 'authentication'],
  ['google-ai-studio', 404, googleError(404, 'NOT_FOUND', 'models/a-model is not found for API version v1beta'), 'not_found'],
  ['google-vertex-ai', 403, googleError(403, 'PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied"), 'authentication'],
  ['google-vertex-ai', 500, 'not JSON', 'unavailable'],
]

test.each(failures)('%s: maps %i to its reason, without secrets in the message', async (name, status, body, reason) => {
  // The body of the response repeats the headers of the request, as some proxies do.
  const repeated = (headers: object) => JSON.parse(JSON.stringify(body).replaceAll('…', JSON.stringify(headers).replaceAll(/["\\]/g, "'")))
  provider.respond = (response, asked) =>
    asked.path === '/token' ? whenAsked(json(200, {})) : json(status, repeated(asked.headers))(response, asked)
  if (name === 'google-vertex-ai') whenAsked(json(status, body))
  const outcome = await generate(connectionOf(name))
  expect(outcome).toMatchObject({ kind: 'problem', problem: { reason, status } })
  for (const text of [secret, 'header-in-clear', 'token-in-clear', 'wJalrXUtnFEMI']) expect(JSON.stringify(outcome)).not.toContain(text)
})

test('a key that Google rejects is an authentication problem, and its token_uri receives no request', async () => {
  provider.respond = json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
  expect(await generate(connectionOf('google-vertex-ai'))).toMatchObject({ kind: 'problem', problem: { reason: 'authentication' } })
  expect(provider.asked.map(({ path }) => path)).toEqual(['/token'])
})

test.each([
  ['google-vertex-ai', 'plain'],
  ['google-vertex-ai', JSON.stringify({ ...keyFile, private_key: 'no key' })],
  [
    'google-vertex-ai',
    JSON.stringify({ type: 'external_account', credential_source: { url: 'http://127.0.0.1:1' }, subject_token_type: 'a', audience: 'a' }),
  ],
  ['bedrock', '{}'],
  ['azure', secret],
] as const)('%s with the secret %s and no address fails before sending a request', async (name, secretKey) => {
  const outcome = await generate(connectionOf(name, { secretKey, ...(name === 'azure' && { baseURL: null }) }))
  expect(outcome).toMatchObject({ kind: 'problem', problem: { reason: expect.stringMatching(/^(misconfigured|authentication)$/) } })
  expect(provider.asked).toEqual([])
})

test.each(['a b', 'a?b', '../../x', 'a/../../b', 'a#b', '%2e%2e', '', 'a//b'])('rejects %j as the name of a model', async model => {
  expect(await generate(connectionOf('openai'), {}, model)).toMatchObject({ kind: 'problem', problem: { reason: 'misconfigured' } })
  expect(provider.asked).toEqual([])
})

test('the server’s credentials are sent only to their provider', async () => {
  process.env['AWS_ACCESS_KEY_ID'] = 'AKIAOFTHESERVER'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'secret-of-the-server'
  process.env['AWS_BEARER_TOKEN_BEDROCK'] = 'token-of-the-server'
  process.env['GOOGLE_VERTEX_API_KEY'] = 'key-of-the-server'
  try {
    const byDefault = { secretKey: '__BEDROCK_DEFAULT_CREDENTIALS__' }
    expect(await generate(connectionOf('bedrock', byDefault))).toMatchObject({ problem: { reason: 'address_refused' } })
    const elsewhere = connectionOf('bedrock', { ...byDefault, baseURL: null, config: { region: 'a.example.com/' } })
    expect(await generate(elsewhere)).toMatchObject({ problem: { reason: 'misconfigured' } })
    expect(provider.asked).toEqual([])
    whenAsked(json(200, successes.bedrock('{"grade":3}')))
    expect(await generate(connectionOf('bedrock'))).toMatchObject({ kind: 'value' })
    whenAsked(json(200, successes['google-vertex-ai']('{"grade":3}')))
    expect(await generate(connectionOf('google-vertex-ai'))).toMatchObject({ kind: 'value' })
    expect(JSON.stringify(provider.asked)).not.toMatch(/server/i)
  } finally {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_BEARER_TOKEN_BEDROCK', 'GOOGLE_VERTEX_API_KEY'])
      delete process.env[name]
  }
})
