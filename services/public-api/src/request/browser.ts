import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { AppError } from '@svc-server/errors'

type Request = Pick<IncomingMessage, 'headers' | 'method' | 'socket'>

/**
 * With the prefix `__Host-`, other hosts of the domain cannot set the cookie. Browsers accept this prefix only for Secure cookies that
 * belong to exactly the host that set the cookie.
 */
const secureCookie = '__Host-svc-session'
const plainCookie = 'svc-session'
const [secureFlowCookie, plainFlowCookie] = ['__Host-svc-oidc', 'svc-oidc']

/** What sign-in and sign-out must know about the browser. */
export interface Browser {
  /** Undefined if only the address of a trusted proxy is known. */
  readonly address: string | undefined
  /** True if the browser uses https, even if a proxy forwards the browser's requests to this process without TLS. */
  readonly isSecure: boolean
  readonly oidcFlow: string | undefined
}

const isHttps = (value: string | string[] | undefined) =>
  String(value ?? '')
    .split(',', 1)[0]!
    .trim()
    .toLowerCase() === 'https'

/** A client that forges X-Forwarded-Proto only gets a cookie that its browser discards. */
export const isSecure = ({ headers, socket }: Request): boolean =>
  (socket as Partial<TLSSocket>).encrypted === true ||
  isHttps(headers['x-forwarded-proto']) ||
  (headers.origin ?? '').startsWith('https://')

function cookiesOf({ headers }: Request): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0) cookies.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim())
  }
  return cookies
}

export function sessionToken(request: Request): string | undefined {
  const cookies = cookiesOf(request)
  return cookies.get(secureCookie) ?? cookies.get(plainCookie)
}

export function oidcFlow(request: Request): string | undefined {
  const cookies = cookiesOf(request)
  return cookies.get(secureFlowCookie!) ?? cookies.get(plainFlowCookie!)
}

const attributes = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

export const cookieOf = (token: string, expiresAt: Date, isSecure: boolean): string =>
  `${isSecure ? secureCookie : plainCookie}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes(isSecure)}`

export const endedCookie = (isSecure: boolean): string => `${isSecure ? secureCookie : plainCookie}=; Max-Age=0; ${attributes(isSecure)}`

export const flowCookieOf = (flow: string, maxAgeSeconds: number, isSecure: boolean): string =>
  `${isSecure ? secureFlowCookie : plainFlowCookie}=${flow}; Max-Age=${maxAgeSeconds}; ${attributes(isSecure)}`

const reads = ['GET', 'HEAD']

/**
 * Checks that a request other than GET and HEAD comes from a page of the web app. The browser must report the app's origin, and the request
 * must have a header that forms cannot send. Throws `origin_refused`.
 */
export function requireOwnPage({ method = '', headers }: Request): void {
  if (reads.includes(method)) return
  const refuse = (what: string) => new AppError('origin_refused', what)
  if (headers['x-svc-ui'] !== '1') throw refuse('The header x-svc-ui: 1 is missing.')
  const site = headers['sec-fetch-site']
  if (site !== undefined) {
    if (site !== 'same-origin') throw refuse(`The request comes from a page of a different origin (${String(site).slice(0, 40)}).`)
    return
  }
  // Browsers before 2023, and pages on http:// other than localhost, do not send `Sec-Fetch-Site`.
  const { origin, host } = headers
  if (origin === undefined || host === undefined || URL.parse(origin)?.host !== host.toLowerCase())
    throw refuse(`The request comes from a page of ${origin === undefined ? 'an unknown origin' : String(origin).slice(0, 200)}.`)
}
