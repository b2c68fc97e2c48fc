// Creates one MCP tool for each operation that reads a project. The tool is derived from the operation's path and query (ADR 0047).
import { requestSchema } from '@svc-server/api/fields/json-schema'
import { styleOf } from '@svc-server/api/fields/query'
import type { Operation } from '@svc-server/api/operation'
import type { z } from 'zod'
import type { Handler } from '../../request/handler.ts'

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly properties: Readonly<Record<string, object>>; readonly required: string[] }
  readonly annotations: { readonly readOnlyHint: true; readonly openWorldHint: false }
  readonly handler: Handler
}

const isOfProject = ({ auth }: Operation) => auth === 'project' || auth === 'projectOrInstance' || auth === 'projectOrPublicKey'

/** Clients accept only these characters. */
const nameOf = ({ id }: Operation) => id.replaceAll('.', '_')

/** Returns a tool for each published read operation of a project. Operations for older SDKs have no tool: newer operations replace them. */
export function toolsOf(handlers: readonly Handler[]): readonly Tool[] {
  const reads = handlers.filter(
    ({ operation }) => operation.method === 'GET' && operation.surface !== 'private' && operation.surface !== 'legacy',
  )
  return reads
    .filter(({ operation }) => isOfProject(operation))
    .map(handler => {
      const { operation } = handler
      const [path, query] = [requestSchema(operation.params) as ObjectSchema, requestSchema(operation.query) as ObjectSchema]
      return {
        name: nameOf(operation),
        description: operation.summary,
        inputSchema: {
          type: 'object' as const,
          properties: { ...path.properties, ...query.properties },
          required: [...Object.keys(path.properties ?? {}), ...(query.required ?? [])],
        },
        annotations: { readOnlyHint: true as const, openWorldHint: false as const },
        handler,
      }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export function requestOf({ params, query }: Operation, given: Readonly<Record<string, unknown>>) {
  const shape = (query as unknown as { readonly shape: Readonly<Record<string, z.ZodType>> }).shape
  const search = new URLSearchParams()
  const path: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    if (name in params.shape) path[name] = textOf(value)
    else if (!Array.isArray(value)) search.append(name, textOf(value))
    else if (Object.hasOwn(shape, name) && styleOf(shape[name]!) === 'repeated') for (const each of value) search.append(name, textOf(each))
    else search.append(name, Object.hasOwn(shape, name) && styleOf(shape[name]!) === 'comma' ? value.map(textOf).join(',') : textOf(value))
  }
  return { path, search }
}
