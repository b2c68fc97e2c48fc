// Finds the endpoint of a request. This module uses only Fastify's router, which opens no port and parses no body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorFamily, Method } from '@svc-server/api/operation'
import { AppError } from '@svc-server/errors'
import { createHttpServer } from '@svc-server/http/listeners'
import { annotate } from '@svc-server/tracing'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Handler } from './handler.ts'
import type { Mount } from './mounts.ts'

export interface Endpoint {
  readonly method: Method
  /** Path with `:name` for parameters. */
  readonly path: string
  readonly serves: Handler | { readonly closed: string }
  readonly mount: Mount
}

export type Meaning =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'preflight'; readonly methods: readonly string[] }
  | { readonly kind: 'refused'; readonly error: AppError; readonly family?: ErrorFamily | undefined }

export type Serve = (raw: IncomingMessage, response: ServerResponse, meaning: Meaning) => void

export interface Router {
  route(raw: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const
/** The longest id has 800 characters. Percent-encoding turns each character into at most nine characters. */
const maxParamLength = 9 * 800

export async function createRouter(endpoints: readonly Endpoint[], serve: Serve): Promise<Router> {
  const app = fastify({
    // Fastify requires a server object that calls Fastify's handler `handle`. This server opens no port.
    serverFactory: handle => createHttpServer({ handle, onDefect: () => {} }),
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength, querystringParser: () => ({}) },
    frameworkErrors(_, request, reply) {
      reply.hijack()
      serve(request.raw, reply.raw, { kind: 'refused', error: new AppError('bad_request', 'The path of the request is malformed.') })
    },
  })
  /** Takes over the request in Fastify's first hook, before media types and bodies are parsed. */
  const hand = (meaningOf: (request: FastifyRequest) => Meaning) => (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    serve(request.raw, reply.raw, meaningOf(request))
  }
  const unreached = () => {
    throw new Error('Fastify called the handler of a route, although the first hook takes over every request.')
  }

  const general = endpoints.filter(({ path }) => path.includes('/:')).map(endpoint => ({ endpoint, pattern: endpoint.path.split('/') }))
  for (const own of byPath(endpoints)) {
    const [{ path: first }] = own
    for (const endpoint of own) {
      const { path } = endpoint
      const params = (request: FastifyRequest) => request.params as Params
      app.route({
        method: methodsOf(endpoint.method),
        url: path,
        onRequest: hand(request => {
          annotate({ 'http.route': path }, `${endpoint.method} ${path}`)
          return { kind: 'endpoint', endpoint, params: params(request) }
        }),
        handler: unreached,
      })
    }
    let methods = [...own.flatMap(({ method }) => methodsOf(method)), 'OPTIONS']
    for (const { endpoint, named } of alsoAt(first, general)) {
      const others = methodsOf(endpoint.method).filter(method => !methods.includes(method))
      if (others.length === 0) continue
      methods = [...methods, ...others]
      app.route({
        method: others,
        url: first,
        onRequest: hand(request => {
          annotate({ 'http.route': endpoint.path }, `${endpoint.method} ${endpoint.path}`)
          return { kind: 'endpoint', endpoint, params: named(request.params as Params) }
        }),
        handler: unreached,
      })
    }
    const error = new AppError('method_not_allowed', 'Method not allowed', { allow: methods.join(', ') })
    const refused = { kind: 'refused', error, family: familyOf(own) } as const
    app.route({
      method: everyMethod.filter(method => method === 'OPTIONS' || !methods.includes(method)),
      url: first,
      onRequest: hand(({ method }) => (method === 'OPTIONS' ? { kind: 'preflight', methods } : refused)),
      handler: unreached,
    })
  }
  const nothing = hand(() => ({ kind: 'refused', error: new AppError('not_found', 'No route has this path.') }))
  app.addHook('onRequest', (request, reply, done) => (request.is404 ? nothing(request, reply) : done()))
  await app.ready()
  return { route: (raw, response) => app.routing(raw, response), close: () => app.close() }
}

type Params = Readonly<Record<string, string>>
type Alike = [Endpoint, ...Endpoint[]]

/** Returns the error family of a path. All operations of a path have the same family. */
const familyOf = (own: Alike): ErrorFamily | undefined =>
  own.map(({ serves }) => ('operation' in serves ? serves.operation.family : undefined)).find(family => family !== undefined)

const methodsOf = (method: Method): Array<Method | 'HEAD'> => (method === 'GET' ? ['GET', 'HEAD'] : [method])

interface General {
  readonly endpoint: Endpoint
  readonly pattern: readonly string[]
}

interface AlsoAt {
  readonly endpoint: Endpoint
  named(params: Params): Params
}

/**
 * Finds endpoints that also match `path`, because they have a parameter where `path` has a fixed word. A request for `path` can mean one of
 * these endpoints, because an object can have this word as its id. The router always chooses the endpoint with the fixed word, even if only
 * the endpoint with the parameter supports the method of the request.
 */
function alsoAt(path: string, general: readonly General[]): readonly AlsoAt[] {
  const parts = path.split('/')
  return general
    .filter(({ pattern }) => pattern.length === parts.length && isMoreGeneral(pattern, parts))
    .map(({ endpoint, pattern }) => {
      const named = (params: Params) =>
        Object.fromEntries(
          pattern.flatMap((part, at) => {
            if (!isParameter(part)) return []
            const given = parts[at]!
            return [[part.slice(1), isParameter(given) ? params[given.slice(1)]! : given]]
          }),
        )
      return { endpoint, named }
    })
}

const isParameter = (part: string) => part.startsWith(':')

const isMoreGeneral = (pattern: readonly string[], parts: readonly string[]) =>
  pattern.every((part, at) => isParameter(part) || part === parts[at]) &&
  pattern.some((part, at) => isParameter(part) && !isParameter(parts[at]!))

/** Ignores the names of parameters. */
function byPath(endpoints: readonly Endpoint[]): Iterable<Alike> {
  const found = new Map<string, Alike>()
  for (const endpoint of endpoints) {
    const key = endpoint.path.replaceAll(/:\w+/g, ':')
    const alike = found.get(key)
    if (alike === undefined) found.set(key, [endpoint])
    else alike.push(endpoint)
  }
  return found.values()
}
