// Controls access to the engine's HTTP interface. Refuses requests from pages of other sites. The headers Host, Origin and Sec-Fetch-Site
// identify these requests. All other requests need the password.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SqlRefused } from '../sql/refused.ts'

export interface AccessOptions {
  readonly user: string
  readonly password: string
  /** Names of this server, without a port. A Host header may contain these names, the loopback names, or the connection's own address. */
  readonly hosts: readonly string[]
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const header = (req: IncomingMessage, name: string): string | undefined => {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const basic = (authorization: string | undefined): { user: string; password: string } | null => {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Reads credentials in the same order as ClickHouse: the `x-clickhouse-` headers, then Basic authentication, then the URL. */
const credentials = (req: IncomingMessage, query: URLSearchParams): { user: string; password: string } | null => {
  const user = header(req, 'x-clickhouse-user')
  if (user !== undefined) return { user, password: header(req, 'x-clickhouse-key') ?? '' }
  const fromBasic = basic(header(req, 'authorization'))
  if (fromBasic) return fromBasic
  const inUrl = query.get('user')
  const password = query.get('password')
  return inUrl === null && password === null ? null : { user: inUrl ?? 'default', password: password ?? '' }
}

export interface Access {
  /**
   * Returns null if the headers Host, Origin and Sec-Fetch-Site are allowed. Otherwise, returns the reason why the request is
   * refused, even if its credentials are valid.
   */
  refusedOrigin(req: IncomingMessage): string | null
  /** Throws REQUIRED_PASSWORD or AUTHENTICATION_FAILED. */
  authenticate(req: IncomingMessage, query: URLSearchParams): void
}

export const createAccess = ({ user, password, hosts }: AccessOptions): Access => {
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', ...hosts.map(host => host.toLowerCase())])
  const expected = digest(`${user}:${password}`)

  const isOwn = (authority: string, port: number | undefined, localAddress: string | undefined): boolean => {
    const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d+))?$/.exec(authority.toLowerCase())
    if (!match) return false
    const [, name, namedPort] = match
    // DNS rebinding needs a domain name, so it is impossible if the Host header contains the connection's own address.
    const known = names.has(name!) || name === localAddress || name === `[${localAddress}]`
    return known && Number(namedPort ?? 80) === port
  }

  return {
    refusedOrigin(req) {
      const { localPort, localAddress } = req.socket
      const host = header(req, 'host')
      if (host === undefined || !isOwn(host, localPort, localAddress)) return `Host ${host ?? '(none)'} is not an address of this engine`
      const origin = header(req, 'origin')
      if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
        return `Origin ${origin} is not allowed to call this engine`
      if (header(req, 'sec-fetch-site') === 'cross-site') return 'A different site is not allowed to call this engine'
      return null
    },
    authenticate(req, query) {
      const given = credentials(req, query)
      if (given === null)
        throw new SqlRefused(
          'REQUIRED_PASSWORD',
          'Authentication is required: send user and password by Basic or X-ClickHouse-User and -Key',
        )
      if (!timingSafeEqual(digest(`${given.user}:${given.password}`), expected))
        throw new SqlRefused(
          'AUTHENTICATION_FAILED',
          `${given.user}: Authentication failed: password is incorrect, or there is no user with such name.`,
        )
    },
  }
}
