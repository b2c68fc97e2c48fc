// Compares the API's operations for SDKs with the calls of published clients. The lists below name each known difference.
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { type JsonSchema, requestSchema, responseSchema } from '../src/fields/json-schema.ts'
import { namesIn } from '../src/operation.ts'
import { operationById, operations } from '../src/operations.ts'
import published from './fixtures/published-operations.json' with { type: 'json' }

interface Field {
  readonly type: string
  readonly optional?: boolean
  readonly nullable?: boolean
}
interface Type {
  readonly kind: string
  readonly fields?: Readonly<Record<string, Field>>
  readonly values?: readonly string[]
}
interface Published {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly auth: string
  readonly status: number
  readonly query?: readonly { readonly name: string; readonly required: boolean }[]
  readonly body?: string
  readonly response?: string
  readonly emptyRequest?: boolean
  readonly family: string
}
const all = published.operations as readonly Published[]
const types = published.types as unknown as Readonly<Record<string, Type>>

const auths: Readonly<Record<string, string>> = {
  none: 'open',
  project: 'project',
  'project or public key': 'projectOrPublicKey',
  'project or instance admin': 'projectOrInstance',
  organization: 'organization',
}

const beside: Readonly<Record<string, readonly string[]>> = {
  // Older SDKs send these parameters. The server accepts the parameters only if their values are empty (contract §17.1).
  'scores.getMany': ['userId', 'traceTags'],
  // `fromTimestamp` and `toTimestamp` filter by creation time (contract §18.6).
  'annotationQueues.listQueues': ['fromTimestamp', 'toTimestamp'],
  CreateScoreBatchError: ['index', 'id'],
  ObservationV2: ['providedModelName'],
  // `isLegacy` marks rules from v3, which stop after the cutover to `events_only` (contract §9.4.7).
  EvaluationRule: ['isLegacy'],
  // Identity providers send these fields, which the published type lacks (contract §19.5).
  CreateUserRequest: ['displayName', 'roles'],
}

test('defines each of the 110 operations of the SDK exactly once', () => {
  const ours = operations.filter(({ surface }) => surface === 'sdk').map(({ id }) => id)
  expect(ours.toSorted()).toEqual(all.map(({ operation }) => operation).toSorted())
})

test('every operation of the SDK is served', () => {
  expect(operations.filter(({ surface, servedBy }) => surface === 'sdk' && servedBy === 'nobody').map(({ id }) => id)).toEqual([])
})

test('41 operations of the SDK take an empty request object', () => {
  expect(operations.filter(({ emptyRequest }) => emptyRequest)).toHaveLength(41)
})

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
}

describe.each(all.map(each => [each.operation, each] as const))('%s', (id, its) => {
  const own = operationById.get(id)!
  test('has the published method, path, credentials and parameters', () => {
    expect([own.method, own.path, own.auth, own.emptyRequest]).toEqual([its.method, its.path, auths[its.auth], its.emptyRequest === true])
    expect(Object.keys(own.responses)).toContain(String(its.status))
    // Published clients list the operations of our error families `batch` and `named` under the family `default`. These clients work,
    // because errors of `batch` and `named` have at least the fields of `default`.
    expect(['batch', 'named'].includes(own.family) ? 'default' : own.family).toBe(its.family)
    const query = requestSchema(own.query) as ObjectSchema
    const expected = (its.query ?? []).map(({ name }) => name)
    expect(Object.keys(query.properties ?? {}).toSorted()).toEqual([...expected, ...(beside[id] ?? [])].toSorted())
    expect(query.required ?? []).toEqual((its.query ?? []).filter(each => each.required).map(({ name }) => name))
    expect(Object.keys((own.params as z.ZodObject).shape)).toEqual(namesIn(own.path))
    expect(own.body !== undefined).toBe(its.body !== undefined && its.body !== null)
  })
})

const defined = new Map<string, JsonSchema>()
for (const { body, responses } of operations) {
  const schemas = [
    ...(body === undefined ? [] : [requestSchema(body)]),
    ...Object.values(responses).flatMap(each => (each ? [responseSchema(each)] : [])),
  ]
  for (const schema of schemas) {
    const { $defs = {}, id } = schema as { readonly $defs?: Readonly<Record<string, JsonSchema>>; readonly id?: string }
    for (const [name, type] of Object.entries($defs)) defined.set(name, type)
    if (id !== undefined) defined.set(id, schema)
  }
}

const named = Object.entries(types).filter(([name]) => defined.has(name))

test('the schemas define nearly all published types under their published names', () => {
  expect(named.length).toBeGreaterThan(220)
})

test.each(named.filter(([, { kind }]) => kind === 'object'))('fields of %s', (name, { fields = {} }) => {
  const { properties = {} } = defined.get(name) as ObjectSchema
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(fields)))
  expect(Object.keys(properties).filter(key => !(key in fields))).toEqual(beside[name] ?? [])
})

test.each(named.filter(([, { kind }]) => kind === 'enum'))('values of %s', (name, { values }) => {
  expect((defined.get(name) as ObjectSchema).enum).toEqual(values)
})
