// Serves the files of the web app. Every path of the app gets the same page. All other paths belong to the API, so a wrong path gets JSON
// instead of a page.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseTarget } from '@svc-server/http/listeners'
import type { RequestHandlers } from '@svc-server/service'
import type { Encoding, WebFile, WebFiles } from './files.ts'

/** The app's routes (apps/web/src/router.tsx). */
const places = /^\/(?:(?:project|sign-in|setup|org|account|system|public)(?:\/.*)?)?$/

/**
 * The page cannot load anything from another origin, and cannot contain inline code. Code that writes markup or starts a worker needs the
 * app's own trusted-types policy.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svc dompurify',
].join('; ')

const guards = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin', 'cross-origin-opener-policy': 'same-origin' }
const pageHeaders = {
  ...guards,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': policy,
}
const aYear = 'public, max-age=31536000, immutable'

/** Ignores weights in Accept-Encoding, because browsers send none. */
function bodyFor(file: WebFile, accepted = ''): readonly [Encoding, Buffer] {
  for (const encoding of ['br', 'gzip'] as const) {
    const body = file.bodies.get(encoding)
    if (body !== undefined && new RegExp(`\\b${encoding}\\b`).test(accepted)) return [encoding, body]
  }
  return ['identity', file.bodies.get('identity')!]
}

/** Adds a base URL to the page, so that the page's relative URLs begin with the app's path. */
const withBase = (page: string, basePath: string): string => page.replace('<head>', `<head>\n    <base href="${basePath}/" />`)

/**
 * The returned function returns undefined for a request that does not belong to the web app. The caller must remove `basePath` from the
 * target of the request.
 */
export function createWebApp({ page, files }: WebFiles, basePath = ''): (request: IncomingMessage) => RequestHandlers | undefined {
  const html = Buffer.from(withBase(page, basePath))

  function end(request: IncomingMessage, response: ServerResponse, headers: Readonly<Record<string, string>>, body: Buffer): void {
    response.writeHead(200, { ...headers, 'content-length': body.length })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  const sendPage = (request: IncomingMessage, response: ServerResponse) => end(request, response, pageHeaders, html)
  const handlersOf = (handle: RequestHandlers['handle']): RequestHandlers => ({ handle, handleExpectingContinue: handle })
  const pageHandlers = handlersOf(sendPage)

  function sendFile(file: WebFile, request: IncomingMessage, response: ServerResponse): void {
    const [encoding, body] = bodyFor(file, String(request.headers['accept-encoding'] ?? ''))
    const encoded: Readonly<Record<string, string>> = encoding === 'identity' ? {} : { 'content-encoding': encoding }
    end(request, response, { ...guards, ...encoded, 'content-type': file.type, 'cache-control': aYear, vary: 'accept-encoding' }, body)
  }

  return request => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const { path } = parseTarget(request.url)
    if (places.test(path)) return pageHandlers
    const file = files.get(path.slice(1))
    return file === undefined ? undefined : handlersOf((incoming, response) => sendFile(file, incoming, response))
  }
}
