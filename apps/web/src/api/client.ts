// Calls operations of libs/api with the session's cookie. Only `trace.worker.ts` and `examples.ts` also send requests to the server.
import type { z } from 'zod'
import { noteFreshness } from './freshness.ts'
import type { OperationId, OperationOf } from './operations.ts'

export class ApiError extends Error {
  readonly status: number
  readonly requestId: string | undefined
  /** From the header Retry-After. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, message: string, requestId: string | undefined, retryAfterMs?: number) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

type Scalar = string | number | boolean
type QueryValues = Readonly<Record<string, Scalar | readonly string[] | undefined>>
type Keys<T> = T extends object ? keyof T : never
type SuccessOf<R> = R extends { readonly 200: infer S }
  ? S
  : R extends { readonly 201: infer S }
    ? S
    : R extends { readonly 202: infer S }
      ? S
      : null
type BodyOf<Id extends OperationId> = NonNullable<OperationOf<Id>['body']>

export type ResultOf<Id extends OperationId> =
  SuccessOf<OperationOf<Id>['responses']> extends infer S extends z.ZodType ? z.output<S> : undefined

export interface CallOptions<Id extends OperationId> {
  /** Project of the call. A call for an organization sets `organization` instead. */
  readonly project?: string | undefined
  readonly organization?: string | undefined
  readonly params?: { readonly [Name in Keys<z.input<OperationOf<Id>['params']>>]: string } | undefined
  readonly query?: { readonly [Name in Keys<z.input<OperationOf<Id>['query']>>]?: Scalar | readonly string[] | undefined } | undefined
  readonly body?: (NonNullable<BodyOf<Id>> extends infer B extends z.ZodType ? z.input<B> : never) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Ends with a slash. */
export const basePath: string = new URL(document.baseURI).pathname.replace(/[^/]*$/, '')

function searchOf(query: QueryValues): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

interface RawCall {
  readonly query?: QueryValues | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly accept?: string | undefined
}

async function send(method: string, path: string, { query = {}, body, signal, accept = 'application/json' }: RawCall): Promise<Response> {
  const response = await fetch(`${basePath}api/ui/${path}${searchOf(query)}`, {
    method,
    credentials: 'same-origin',
    headers: {
      accept,
      ...(method !== 'GET' && { 'x-svc-ui': '1' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  noteFreshness(response.headers.get('x-svc-complete-until'))
  if (response.ok) return response
  const json = parsed(await response.text())
  throw new ApiError(
    response.status,
    messageOf(json) ?? `The server responded ${response.status}.`,
    response.headers.get('x-request-id') ?? undefined,
    retryAfterOf(response.headers),
  )
}

function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isNaN(seconds) ? undefined : seconds * 1_000
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { message: text.slice(0, 400) }
  }
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body) || typeof body.message !== 'string') return undefined
  if ('error' in body && Array.isArray(body.error) && body.error.length > 0) {
    const issue: unknown = body.error[0]
    if (typeof issue === 'object' && issue !== null && 'message' in issue) return `${body.message}: ${String(issue.message)}`
  }
  return body.message
}

function routeOf<const Id extends OperationId>(id: Id, options: CallOptions<Id>): readonly [method: string, path: string] {
  const route = apiRoutes[id]
  if (route === undefined) throw new Error(`The API has no operation ${id}.`)
  const [method = '', template = ''] = route.split(' ')
  const params: Readonly<Record<string, string>> = { projectId: options.project ?? '', ...options.params }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return [method, uiPath(path, options)]
}

function respond<const Id extends OperationId>(id: Id, options: CallOptions<Id>, accept?: string): Promise<Response> {
  const { query, body, signal } = options
  return send(...routeOf(id, options), { query, body, signal, accept })
}

export const follow = (options: CallOptions<'webRows.tail'>): EventSource =>
  new EventSource(`${basePath}api/ui/${routeOf('webRows.tail', options)[1]}${searchOf(options.query ?? {})}`)

/**
 * Paths of project operations begin with `projects/{project}`. Paths of organization operations begin with `organizations/{organization}`.
 * Throws ApiError.
 */
export async function call<const Id extends OperationId>(id: Id, options: CallOptions<Id> = {}): Promise<ResultOf<Id>> {
  const text = await (await respond(id, options)).text()
  return (text === '' ? undefined : parsed(text)) as ResultOf<Id>
}

/** Fails if the stream of rows ends early. */
export const download = async (options: CallOptions<'observations.getMany'>, accept: string): Promise<Blob> =>
  (await respond('observations.getMany', options, accept)).blob()

function uiPath(path: string, { project, organization }: Pick<CallOptions<OperationId>, 'project' | 'organization'>): string {
  const rest = path.replace(/^\/api\/public\//, '')
  if (rest === path) return path.replace(/^\/api\/ui\//, '')
  if (organization !== undefined) return `organizations/${encodeURIComponent(organization)}/${rest}`
  return project === undefined ? rest : `projects/${encodeURIComponent(project)}/${rest}`
}
