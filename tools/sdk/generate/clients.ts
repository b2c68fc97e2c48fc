// Generates a class for each namespace of the API, and the client class.
import { fieldsOf, shapeOf } from '../../../libs/api/src/fields/shape.ts'
import { namesIn, type Operation } from '../../../libs/api/src/operation.ts'
import { listBodies, requestNames, responseNames } from '../../../libs/api/src/sdk/names.ts'
import { fileOf, isUnstable, namespaceOf, sdkOperations } from './types.ts'

export const namespaces: readonly string[] = [...new Set(sdkOperations.map(({ id }) => namespaceOf(id)))].sort()

const className = (namespace: string): string => {
  const name = namespace.slice(namespace.lastIndexOf('.') + 1)
  return `${name[0]!.toUpperCase()}${name.slice(1)}Client`
}

interface Errors {
  /** Name of the constant that maps each status to its error class. */
  readonly constant: string
  readonly file: string
}

const ownErrors: Readonly<Record<string, string>> = {
  health: 'healthErrors',
  feedback: 'feedbackErrors',
  evaluators: 'evaluationErrors',
  evaluationRules: 'evaluationErrors',
}

function errorsOf(namespace: string): Errors {
  if (isUnstable(namespace)) return { constant: 'unstableErrors', file: 'unstable-errors' }
  return { constant: ownErrors[namespace] ?? 'standardErrors', file: 'errors' }
}

const pathType = (operation: Operation, name: string): string => {
  const shape = fieldsOf(operation.params)[name]?.shape
  return shape?.kind === 'number' ? 'number' : 'string'
}

function requestOf(operation: Operation): { readonly type: string; readonly isOptional: boolean; readonly imported: string | undefined } {
  const { id, body, bodyOptional, query, emptyRequest } = operation
  if (emptyRequest) return { type: 'EmptyRequest', isOptional: true, imported: undefined }
  const list = listBodies[id]
  if (list !== undefined) return { type: `${list}[]`, isOptional: false, imported: list }
  if (body !== undefined) {
    const shape = shapeOf(body)
    if (shape.kind !== 'named') throw new Error(`The body of ${id} has no name.`)
    return { type: shape.name, isOptional: bodyOptional, imported: shape.name }
  }
  const name = requestNames[id]
  if (name === undefined) throw new Error(`The query of ${id} has no name. Add one to requestNames.`)
  return { type: name, isOptional: Object.values(fieldsOf(query)).every(({ optional }) => optional), imported: name }
}

/** Returns the type of the response. Returns undefined if published clients return nothing. */
function responseOf({ id, responses }: Operation): string | undefined {
  if (responseNames[id] !== undefined) return responseNames[id]
  for (const [status, schema] of Object.entries(responses)) {
    if (Number(status) >= 300 || schema === null) continue
    const shape = shapeOf(schema)
    if (shape.kind === 'named') return shape.name
  }
  return undefined
}

function method(operation: Operation, errors: string): { readonly text: string; readonly imports: readonly string[] } {
  const { id, path, summary, emptyRequest, body } = operation
  const request = requestOf(operation)
  const response = responseOf(operation)
  const name = id.slice(id.lastIndexOf('.') + 1)
  const parameters = [
    ...namesIn(path).map(each => `${each}: ${pathType(operation, each)}`),
    `${emptyRequest ? '_request' : 'request'}: ${request.type}${request.isOptional ? ' = {}' : ''}`,
    'requestOptions?: RequestOptions',
  ]
  const address = path.replaceAll(/\{(\w+)\}/g, (_, each: string) => `\${encodeURIComponent(${each})}`)
  const quotedPath = address === path ? `'${path}'` : `\`${address}\``
  const sent = emptyRequest ? '' : body === undefined ? ', query: { ...request }' : ', body: request'
  const text = [
    `  /** ${summary} */`,
    `  ${name}(${parameters.join(', ')}): HttpResponsePromise<${response ?? 'void'}> {`,
    `    return sendApiRequest(`,
    `      this.options,`,
    `      { method: '${operation.method}', path: ${quotedPath}${sent}, errors: ${errors} },`,
    `      requestOptions,`,
    `    )`,
    `  }`,
  ].join('\n')
  return { text, imports: [request.imported, response].filter(each => each !== undefined) }
}

const typeFile = (name: string): string => `../types/${fileName(fileOf(name))}.ts`

/** Returns the name of a namespace's file. For example, the file of `unstable.dashboardWidgets` is `unstable-dashboard-widgets`. */
export const fileName = (namespace: string): string =>
  namespace.replaceAll('.', '-').replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

export function imports(names: Iterable<string>, from: (name: string) => string): string {
  const byFile = Map.groupBy([...new Set(names)].sort(), from)
  return [...byFile]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, all]) => `import type { ${all.join(', ')} } from '${file}'\n`)
    .join('')
}

export function clientFile(namespace: string): string {
  const errors = errorsOf(namespace)
  const own = sdkOperations.filter(({ id }) => namespaceOf(id) === namespace)
  const methods = own.map(operation => method(operation, errors.constant))
  const isEmpty = own.some(({ emptyRequest }) => emptyRequest)
  const core = [
    'type ApiClientOptions',
    ...(isEmpty ? ['type EmptyRequest'] : []),
    'type HttpResponsePromise',
    'type RequestOptions',
    'sendApiRequest',
  ]
  return [
    `import { ${errors.constant} } from '../../core/${errors.file}.ts'\n`,
    `import { ${core.join(', ')} } from '../../core/request.ts'\n`,
    imports(
      methods.flatMap(each => each.imports),
      typeFile,
    ),
    '\n',
    `export class ${className(namespace)} {\n`,
    '  private readonly options: ApiClientOptions\n\n',
    '  constructor(options: ApiClientOptions) {\n    this.options = options\n  }\n\n',
    `${methods.map(({ text }) => text).join('\n\n')}\n}\n`,
  ].join('')
}

function getters(all: readonly string[]): string {
  return all
    .map(namespace => {
      const name = namespace.slice(namespace.lastIndexOf('.') + 1)
      const type = className(namespace)
      return `  private ${name}Client: ${type} | undefined\n\n  get ${name}(): ${type} {\n    return (this.${name}Client ??= new ${type}(this.options))\n  }\n`
    })
    .join('\n')
}

function holder(declaration: string, says: string, all: readonly string[], more = ''): string {
  const made =
    '  private readonly options: ApiClientOptions\n\n  constructor(options: ApiClientOptions) {\n    this.options = options\n  }\n'
  return `/** ${says} */\n${declaration} {\n${made}\n${getters(all)}${more}}\n`
}

/** Returns the file of the client class. The client creates a namespace when the application first uses it. */
export function apiClientFile(): string {
  const unstable = namespaces.filter(isUnstable)
  const stable = namespaces.filter(namespace => !isUnstable(namespace))
  const lines = namespaces.map(namespace => `import { ${className(namespace)} } from './clients/${fileName(namespace)}.ts'\n`).sort()
  const more = `\n  private unstableClient: UnstableClient | undefined\n\n  get unstable(): UnstableClient {\n    return (this.unstableClient ??= new UnstableClient(this.options))\n  }\n`
  return [
    "import type { ApiClientOptions } from '../core/request.ts'\n",
    ...lines,
    '\n',
    holder('class UnstableClient', 'Operations that can change without a new major version.', unstable),
    '\n',
    holder('export class SvcAPIClient', 'Every operation of the HTTP API.', stable, more),
  ].join('')
}
