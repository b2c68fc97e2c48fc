// Generates the published OpenAPI 3.1 description of the API.
import { z } from 'zod'
import { type JsonSchema, requestSchema, responseSchema } from './fields/json-schema.ts'
import { styleOf } from './fields/query.ts'
import { type NamedMembers, nameMembers, pascal } from './named-members.ts'
import type { Auth, ErrorFamily, Operation } from './operation.ts'
import { Issue } from './shared/errors.ts'
import { maxStreamRows, type StreamType } from './streams.ts'

type Json = Readonly<Record<string, unknown>>
type Components = Map<string, JsonSchema>

const security: Readonly<Record<Auth, readonly Json[]>> = {
  open: [],
  project: [{ projectKey: [] }],
  projectOrPublicKey: [{ projectKey: [] }, { publicKey: [] }],
  projectOrInstance: [{ projectKey: [] }, { instanceKey: [] }],
  organization: [{ organizationKey: [] }],
  instance: [{ instanceKey: [] }],
  browser: [],
  session: [],
}

const securitySchemes = {
  projectKey: { type: 'http', scheme: 'basic', description: 'Public key and secret key of a project.' },
  organizationKey: { type: 'http', scheme: 'basic', description: 'Public key and secret key of an organization.' },
  publicKey: { type: 'http', scheme: 'bearer', description: 'Only the public key of a project, with which a client can only send scores.' },
  instanceKey: { type: 'http', scheme: 'bearer', description: 'Administration key of the installation.' },
}

const issues = z.array(Issue)

/** For each error family, the schema of its error body (contract §16.4, contract §19.1). */
const errorBodies: Readonly<Record<ErrorFamily, z.ZodType>> = {
  default: z.object({ message: z.string(), error: z.union([z.string(), issues]).optional() }),
  named: z.object({ message: z.string(), error: z.union([z.string(), issues]) }),
  batch: z.object({ message: z.string(), error: z.union([z.string(), issues]).optional(), errors: z.array(z.string()).optional() }),
  message: z.object({ message: z.string(), details: issues.optional() }),
  error: z.object({ error: z.string(), details: issues.optional() }),
  structured: z.object({ message: z.string(), code: z.string(), details: z.object({ issues: issues.optional() }).optional() }),
  scim: z.object({ schemas: z.array(z.string()), detail: z.string(), status: z.int() }),
}

/** Throws if two different types have the same name. */
function referring(schema: JsonSchema, components: Components): JsonSchema {
  const { $defs = {}, ...own } = schema as { readonly $defs?: Readonly<Record<string, JsonSchema>> }
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(([key, of]) => key !== 'id' || typeof of !== 'string')
    return Object.fromEntries(
      entries.map(([key, of]) => [key, key === '$ref' ? String(of).replace('#/$defs/', '#/components/schemas/') : renamed(of)]),
    )
  }
  const define = (name: string, type: JsonSchema) => {
    const written = renamed(type) as JsonSchema
    const before = components.get(name)
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(written)) throw new Error(`Two types have the name ${name}.`)
    components.set(name, written)
  }
  for (const [name, type] of Object.entries($defs)) define(name, type)
  const { id } = own as { readonly id?: unknown }
  if (typeof id !== 'string') return renamed(own) as JsonSchema
  define(id, own)
  return { $ref: `#/components/schemas/${id}` }
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** Every read of the column store accepts this parameter (contract §23). */
const waitFor = {
  name: 'waitFor',
  in: 'query',
  description:
    'The x-svc-ingest-id of an earlier response to the same project. The read waits, at most 10 seconds, until the data of this id is readable. The response header x-svc-waited-for is `readable` or `pending`.',
  schema: { type: 'string', maxLength: 2000 },
}

function parametersOf({ params, query, waits }: Operation, components: Components): readonly Json[] {
  const inPath = requestSchema(params) as ObjectSchema
  const inQuery = referring(requestSchema(query), components) as ObjectSchema
  const shape = (query as unknown as { readonly shape: Readonly<Record<string, z.ZodType>> }).shape
  const path = Object.entries(inPath.properties ?? {}).map(([name, schema]) => ({ name, in: 'path', required: true, schema }))
  const rest = Object.entries(inQuery.properties ?? {}).map(([name, schema]) => {
    const style = styleOf(shape[name]!)
    const required = inQuery.required?.includes(name) ?? false
    return {
      name,
      in: 'query',
      ...(required && { required }),
      ...(style !== undefined && { style: 'form', explode: style === 'repeated' }),
      schema,
    }
  })
  return [...path, ...rest, ...(waits ? [waitFor] : [])]
}

const statusTexts: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The credentials are missing or unknown.',
  403: 'These credentials do not allow the operation.',
  404: 'The object does not exist, or the installation does not serve this operation.',
  405: 'The path does not support this method.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests or too much data at the same time. Retry after the time in Retry-After.',
  503: 'A store does not respond. Retry after the time in Retry-After.',
}

function errorStatuses({ auth, body }: Operation): readonly number[] {
  return [400, ...(auth === 'open' ? [] : [401, 403]), 404, ...(body === undefined ? [] : [413, 415]), 429, 503]
}

const streamed: Readonly<Record<StreamType, Json>> = {
  'application/x-ndjson': { schema: { type: 'string', description: 'Each line is an element of `data`.' } },
  'text/csv': {
    schema: {
      type: 'string',
      description: 'CSV with a column for each field. The first line contains the names of the columns. Objects and lists are JSON.',
    },
  },
  'application/vnd.apache.parquet': { schema: { type: 'string', format: 'binary' } },
}

/** The only media type that client generators recognize as bytes. */
const anyBytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

const streamNote =
  `If Accept begins with one of the other media types, the response contains every row that matches the filter: \`limit\` (0 to
${maxStreamRows}) bounds the number of rows, and \`cursor\` is refused. The trailers x-svc-rows and x-svc-sha256 follow the rows. A response without these trailers is incomplete. A project can read only one such response at a time.`.replace(
    /\n/g,
    ' ',
  )

const readHeaders = {
  'x-svc-complete-until': {
    description:
      'The response includes all data that was acknowledged before this time. The header is absent while the server cannot determine this time.',
    schema: { type: 'string', format: 'date-time' },
  },
  'x-svc-waited-for': {
    description: 'With waitFor: whether the data of the ingest id is readable, or still pending after 10 seconds.',
    schema: { type: 'string', enum: ['readable', 'pending'] },
  },
}

function responsesOf(operation: Operation, components: Components): Json {
  const content = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } })
  const ofRows = (schema: JsonSchema) => ({ content: { ...content(schema).content, ...streamed } })
  const streams = operation.streamQuery !== undefined
  const error = referring(responseSchema(errorBodies[operation.family]), components)
  const own = Object.entries(operation.responses).map(([status, schema]) => [
    status,
    {
      description: statusTexts[Number(status)] ?? (streams ? `${operation.summary} ${streamNote}` : operation.summary),
      ...(schema !== null && (streams && status === '200' ? ofRows : content)(referring(responseSchema(schema), components))),
      ...(operation.bytes === 'response' && { content: anyBytes }),
      ...(operation.waits && status === '200' && { headers: readHeaders }),
    },
  ])
  const errors = errorStatuses(operation)
    .filter(status => !(status in operation.responses))
    .map(status => [String(status), { description: statusTexts[status], ...content(error) }])
  return Object.fromEntries([...own, ...errors])
}

function described(operation: Operation, components: Components): Json {
  const { id, summary, auth, body, bodyOptional, surface } = operation
  return {
    operationId: id,
    summary,
    tags: [id.slice(0, id.lastIndexOf('.'))],
    ...(surface === 'legacy' && { deprecated: true }),
    security: security[auth],
    parameters: parametersOf(operation, components),
    ...(body !== undefined && {
      requestBody: { required: !bodyOptional, content: { 'application/json': { schema: referring(requestSchema(body), components) } } },
    }),
    ...(operation.bytes === 'request' && { requestBody: { required: true, content: anyBytes } }),
    responses: responsesOf(operation, components),
  }
}

/** If a body of the operation has a union of types, gives a name to each of these types. */
function named(operation: Json, members: NamedMembers): Json {
  const name = pascal(String(operation['operationId']))
  const inContent = (of: unknown, suffix: string) => {
    const { content, ...rest } = of as { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }
    if (content === undefined) return of
    const entries = Object.entries(content).map(([type, { schema }]) => [type, { schema: members.named(schema, `${name}${suffix}`) }])
    return { ...rest, content: Object.fromEntries(entries) }
  }
  const { requestBody, responses, ...rest } = operation
  const answered = Object.entries(responses as Json).map(([status, response]) => [status, inContent(response, `Response${status}`)])
  return {
    ...rest,
    ...(requestBody !== undefined && { requestBody: inContent(requestBody, 'Body') }),
    responses: Object.fromEntries(answered),
  }
}

/** Describes all operations that are served and published. Throws if a schema cannot be described, or if two types have one name. */
export function openApiDocument(operations: readonly Operation[], version: string): Json {
  const components: Components = new Map()
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations.filter(({ surface, servedBy }) => surface !== 'private' && servedBy !== 'nobody')) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described(operation, components) }
  }
  const members = nameMembers(components)
  for (const path of Object.values(paths)) for (const [method, described] of Object.entries(path)) path[method] = named(described, members)
  const schemas = Object.fromEntries([...members.components].sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    openapi: '3.1.0',
    info: { title: 'svc API', version, description: 'Send and read traces of LLM applications and related data.' },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes, schemas },
  }
}
