// The generated client must match the operations in libs/api. It must also have a method for each operation that published clients call.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requestNames } from '../../libs/api/src/sdk/names.ts'
import published from '../../libs/api/test/fixtures/published-operations.json' with { type: 'json' }
import * as core from '../../packages/core/src/index.ts'
import { type RecordingServer, recordingServer } from '../../packages/core/test/server.ts'
import { generatedFiles } from './generate/files.ts'
import { declaration, types } from './generate/types.ts'

const folder = join(import.meta.dirname, '../../packages/core/src/api/generated')

test('the files match the operations; npm run generate:sdk writes them', async () => {
  const files = generatedFiles()
  const there = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
  expect(there.sort()).toEqual([...files.keys()].sort())
  for (const [path, text] of files) await expect(text, path).toMatchFileSnapshot(join(folder, path))
})

interface Published {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly pathParams?: readonly { readonly name: string; readonly type: string }[]
  readonly query?: readonly { readonly name: string; readonly type: string; readonly required: boolean }[]
  readonly body?: string | null
  readonly emptyRequest?: boolean
  readonly family: string
}

let server: RecordingServer
let client: core.SvcAPIClient
beforeAll(async () => {
  server = await recordingServer(() => ({ body: '{"ok":true}' }))
  client = new core.SvcAPIClient({ environment: server.url, username: 'pk', password: 'sk' })
})
afterAll(() => server.close())

type Call = (...given: readonly unknown[]) => Promise<unknown>

function methodOf(operation: string): Call {
  const path = operation.split('.')
  const holder = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, client as unknown as Record<string, unknown>)
  return (holder[path.at(-1)!] as Call).bind(holder)
}

describe.each(published.operations as readonly Published[])('$operation', each => {
  const values = (each.pathParams ?? []).map(({ type }, at) => (type === 'integer' ? at + 3 : `a/b ${at}`))
  const path = values.reduce<string>((text, value) => text.replace(/\{\w+\}/, encodeURIComponent(value)), each.path)
  const names = (each.query ?? []).map(({ name }) => name)

  test('sends its path parameters, its request and the options', async () => {
    const request = each.emptyRequest ? {} : each.body ? [{ any: 1 }] : Object.fromEntries(names.map(name => [name, 'x,y']))
    const headers = { 'x-test': each.operation }
    expect(await methodOf(each.operation)(...values, request, { headers })).toEqual({ ok: true })
    const received = server.received.at(-1)!
    const query = names.map(name => `${name}=x%2Cy`)
    const [address, search] = received.url.split('?')
    expect([received.method, address]).toEqual([each.method, path])
    expect((search ?? '').split('&').filter(Boolean).sort()).toEqual(each.emptyRequest || each.body ? [] : query.sort())
    expect(received.body).toBe(each.body ? '[{"any":1}]' : '')
    expect(received.headers).toMatchObject({ 'x-test': each.operation, authorization: `Basic ${btoa('pk:sk')}` })
  })
})

test('41 methods take an empty request, which ignores options in its place', async () => {
  const empty = (published.operations as readonly Published[]).filter(({ emptyRequest }) => emptyRequest)
  expect(empty).toHaveLength(41)
  for (const { operation, pathParams = [] } of empty) {
    await methodOf(operation)(...pathParams.map(() => 1), { headers: { 'x-test': 'old position' } })
    expect(server.received.at(-1)!.headers).not.toHaveProperty('x-test')
  }
})

test('the client has no other operations', () => {
  const count = (holder: object): number =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(holder)).filter(name => name !== 'constructor' && name !== 'unstable').length
  const unstable = client.unstable
  const namespaces = new Set(
    (published.operations as readonly Published[]).map(({ operation }) => operation.split('.').slice(0, -1).join('.')),
  )
  let methods = 0
  for (const name of namespaces) {
    const holder = name.split('.').reduce((at, part) => at[part] as Record<string, unknown>, client as unknown as Record<string, unknown>)
    methods += count(holder)
  }
  expect(methods).toBe(110)
  expect(count(client) + count(unstable)).toBe(namespaces.size)
})

interface PublishedType {
  readonly kind: string
  readonly values?: readonly string[]
  readonly fields?: Readonly<Record<string, { readonly type: string; readonly optional?: boolean; readonly nullable?: boolean }>>
}

/** The names of published types that the generated client leaves out, because only older clients use them. */
const leftOut =
  /^(Trace|Create(Event|Generation|Span|Observation)|Update(Event|Generation|Span|Observation)|Observation|OptionalObservation)(Body|Event)$/
const others = ['IngestionUsage', 'CreateScoresRequest', 'Deprecation', 'SdkLogBody', 'SdkLogEvent', 'ObservationType']
const kept = Object.entries(published.types as unknown as Readonly<Record<string, PublishedType>>).filter(
  ([name]) => !leftOut.test(name) && !others.includes(name),
)

/**
 * Fields whose type intentionally differs from their type in published clients. For example, published clients allow only the message
 * `Accepted`. The server can add text to this message, so the type of our message is `string`.
 */
const otherwise = new Set([
  'CreateScoreBatchResponse.message',
  'OpenAiCompletionUsageSchema.prompt_tokens_details',
  'OpenAiCompletionUsageSchema.completion_tokens_details',
  'OpenAiResponseUsageSchema.input_tokens_details',
  'OpenAiResponseUsageSchema.output_tokens_details',
  'PublicApiValidationIssue.path',
])

/** Fields whose type in the newest published clients differs from their type in older clients. */
const newer: Readonly<Record<string, string>> = {
  'Dataset.inputSchema': 'unknown',
  'Dataset.expectedOutputSchema': 'unknown',
  'ObservationV2.metadata': 'unknown',
}
/** Fields that the newest published clients do not declare. */
const undeclared = new Set(['PromptMetaListResponse.pagination'])
const newerValues: Readonly<Record<string, readonly string[]>> = {
  BlobStorageIntegrationType: ['S3', 'S3_COMPATIBLE', 'AZURE_BLOB_STORAGE'],
}

const plain: Readonly<Record<string, string>> = { 'date-time': 'string', integer: 'number', json: 'unknown' }

function written(type: string): string {
  const [, kind, inner = ''] = /^(array|map)<(.*)>$/.exec(type) ?? []
  if (kind === 'map') return `Record<string, ${written(inner)}>`
  if (kind === 'array') return `${written(inner)}[]`
  return type.startsWith('"') ? `'${type.slice(1, -1)}'` : (plain[type] ?? type)
}

test('every published type exists, and its fields have the published types', () => {
  expect(kept.map(([name]) => name).filter(name => !types.has(name))).toEqual([])
  for (const [name, { fields = {} }] of kept.filter(([, { kind }]) => kind === 'object')) {
    const { text } = declaration(name)
    for (const [field, { type }] of Object.entries(fields)) {
      const [, own] = new RegExp(`^  ${field}\\??: (.*?)(?: \\| null)?(?: \\| undefined)?$`, 'm').exec(text) ?? []
      if (undeclared.has(`${name}.${field}`)) expect(own).toBeUndefined()
      else if (otherwise.has(`${name}.${field}`)) expect(own).toBeDefined()
      else expect(own, `${name}.${field}`).toBe(newer[`${name}.${field}`] ?? written(type))
    }
  }
})

test('enumerations have exactly the published values', () => {
  for (const [name, { values }] of kept.filter(([, { kind }]) => kind === 'enum')) {
    const { shape } = types.get(name)!
    expect(shape.kind === 'enum' && shape.values.toSorted(), name).toEqual((newerValues[name] ?? values)?.toSorted())
  }
})

test('a condition on metadata takes the operators of published clients', () => {
  const [, operator] = /interface StringObjectEvaluationRuleFilter \{[^}]*operator: (\w+)/.exec(declaration('EvaluationRuleFilter').text)!
  expect(operator).toBe('EvaluationRuleStringFilterOperator')
})

test('a schema of a dataset is always present', () => {
  const { text } = declaration('Dataset')
  expect(text).toContain('\n  inputSchema: unknown\n  expectedOutputSchema: unknown\n')
})

/**
 * Fields that are optional only in the generated types or only in published clients. This difference is intended. In requests, the server
 * requires fewer fields than published clients declare. In responses, the server always sends some fields that published clients declare as
 * optional.
 */
const otherwiseOptional = new Set(['CreateModelRequest.unit', 'CreateUserRequest.name', 'Usage.input', 'Usage.output', 'Usage.total'])

test('every published optional field is optional', () => {
  const differences: string[] = []
  for (const [name, { fields = {} }] of kept.filter(([, { kind }]) => kind === 'object')) {
    const { text } = declaration(name)
    for (const [field, { type, optional = false, nullable = false }] of Object.entries(fields)) {
      if (type === 'json' || newer[`${name}.${field}`] || otherwiseOptional.has(`${name}.${field}`)) continue
      const isOptional = text.includes(`\n  ${field}?: `)
      // A field that is required but nullable in the published client can be optional in our types.
      if (isOptional !== optional && !(isOptional && nullable)) differences.push(`${name}.${field}`)
    }
  }
  expect(differences).toEqual([])
})

test('parameters of queries have the published types', () => {
  for (const { operation, query = [], emptyRequest } of published.operations as readonly Published[]) {
    if (query.length === 0 || emptyRequest) continue
    const { text } = declaration(requestNames[operation]!)
    for (const { name, type, required } of query) {
      // The type of a parameter that can be repeated is a string or a list of strings.
      const line = new RegExp(`^  ${name}${required ? '' : '\\?'}: ${written(type)}( \\| string\\[\\])?( \\| undefined)?$`, 'm')
      expect(text, `${operation} ${name}`).toMatch(line)
    }
  }
})

test('enumerations are constants', () => {
  expect(core.ObservationLevel.Warning).toBe('WARNING')
  expect(core.MediaContentType.ApplicationX7ZCompressed).toBe('application/x-7z-compressed')
  expect(core.EvaluationRuleNumberFilterOperator.GreaterThanOrEqual).toBe('>=')
  expect(core.unstable.DashboardWidgetView.ScoresNumeric).toBe('scores-numeric')
  expect(core.unstable.PublicApiErrorCode.RateLimited).toBe('rate_limited')
  for (const [name, { shape }] of types) {
    if (shape.kind !== 'enum') continue
    const constant = { ...core, ...core.unstable }[name as 'ObservationLevel'] as Readonly<Record<string, string>>
    expect(Object.values(constant), name).toEqual(shape.values)
    expect(
      Object.keys(constant).filter(key => !/^[A-Z][A-Za-z0-9]*$/.test(key)),
      name,
    ).toEqual([])
  }
})
