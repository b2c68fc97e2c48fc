// Generates docs/api.md, the reference of the published API.
import { markdownTable } from '@svc-server/service/text'
import { requestSchema } from '../src/fields/json-schema.ts'
import type { Auth, Operation } from '../src/operation.ts'

const credentials: Readonly<Record<Auth, string>> = {
  open: 'none',
  project: 'key of a project',
  projectOrPublicKey: 'key of a project, or its public key alone',
  projectOrInstance: 'key of a project, or the administration key of the installation',
  organization: 'key of an organization',
  instance: 'administration key of the installation',
  browser: 'none',
  session: 'a person who has signed in',
}

interface Schema {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

function typeOf({ type, enum: values, format, minimum, maximum }: Schema): string {
  if (values !== undefined) return values.map(value => `\`${String(value)}\``).join(', ')
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`
  return `${typeof type === 'string' ? type : 'any'}${format === undefined ? '' : ` (${format})`}${range}`
}

/** The reference shows a type by its name only. The OpenAPI document describes the type's fields. */
const nameOf = (schema: unknown): string | undefined => (schema as { meta?: () => { readonly id?: string } | undefined }).meta?.()?.id

function parameterLines({ params, query }: Operation): readonly string[] {
  const [inPath, inQuery] = [requestSchema(params) as Schema, requestSchema(query) as Schema]
  const rows = [
    ...Object.entries(inPath.properties ?? {}).map(([name, schema]) => [name, 'path', typeOf(schema), 'yes']),
    ...Object.entries(inQuery.properties ?? {}).map(([name, schema]) => [
      name,
      'query',
      typeOf(schema),
      inQuery.required?.includes(name) ? 'yes' : '',
    ]),
  ]
  if (rows.length === 0) return []
  return ['', markdownTable(['parameter', 'in', 'type', 'required'], rows).trimEnd()]
}

function operationLines(operation: Operation): readonly string[] {
  const { id, method, path, auth, bucket, summary, body, responses, surface } = operation
  const answers = Object.entries(responses).map(([status, schema]) => {
    const name = schema === null ? undefined : nameOf(schema)
    return name === undefined ? status : `${status} \`${name}\``
  })
  const bodyName = body === undefined ? undefined : (nameOf(body) ?? 'JSON')
  const facts = [
    `\`${id}\`${surface === 'legacy' ? ', for SDKs before v6' : ''}`,
    `credentials: ${credentials[auth]}`,
    ...(bodyName === undefined ? [] : [`body: \`${bodyName}\``]),
    `responses: ${answers.join(', ')}`,
    ...(bucket === 'none' ? [] : [`rate limit: \`${bucket}\``]),
  ]
  return ['', `### ${method} ${path}`, '', summary, '', ...facts.map(fact => `- ${fact}`), ...parameterLines(operation)]
}

const namespaceOf = ({ id }: Operation): string => id.slice(0, id.lastIndexOf('.'))

export function referenceOf(operations: readonly Operation[]): string {
  const published = operations.filter(({ surface, servedBy }) => surface !== 'private' && servedBy !== 'nobody')
  const namespaces = [...new Set(published.map(namespaceOf))].sort()
  const sections = namespaces.flatMap(name => [
    '',
    `## ${name}`,
    ...published.filter(each => namespaceOf(each) === name).flatMap(operationLines),
  ])
  const head = [
    '# API reference',
    '',
    'Every published operation, written from `libs/api` (`vitest run libs/api -u`). An installation serves the same as a page at `/api/public/docs`, and as OpenAPI 3.1, with the fields of all',
    'types, at `/api/public/openapi.json`.',
  ]
  return `${[...head, ...sections].join('\n')}\n`
}
