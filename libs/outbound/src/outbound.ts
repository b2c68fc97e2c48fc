// Sends requests to user-configured addresses. DNS records can change, so an address is checked when it is saved and at each connection.
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { AppError, isAppError } from '@svc-server/errors'
import { Agent, fetch as undiciFetch } from 'undici'
import { createAddressRule } from './addresses.ts'

interface Address {
  readonly address: string
  readonly family: number
}

export interface OutboundOptions {
  readonly allowed: readonly string[]
  readonly resolve?: (name: string) => Promise<readonly Address[]>
  /** `check` waits at most this long for a name, and then accepts the unresolved name, because every request checks the name again. */
  readonly resolveTimeoutMs?: number
}

export interface Outbound {
  /**
   * Checks a base URL before it is stored. Throws `address_refused`. A URL with a query or a fragment is refused, too, because these parts
   * can contain keys, which would be stored unencrypted. A host name that cannot be resolved is accepted, because every request checks the
   * name again.
   */
  check(url: string): Promise<void>
  /** Works like the global `fetch`, but follows no redirects, and throws `address_refused` for an address that is not allowed. */
  readonly fetch: typeof globalThis.fetch
  close(): Promise<void>
}

const refused = (why: string) => new AppError('address_refused', why)

/** Throws if the URL can be refused without a DNS look-up. */
function targetOf(text: string, isAllowed: (address: string) => boolean): string {
  const url = URL.parse(text)
  if (url === null) throw refused(`${text.slice(0, 200)} is not a URL.`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused(`${url.protocol} is not a protocol for requests.`)
  if (url.username !== '' || url.password !== '') throw refused('A URL must not contain credentials.')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  // These names mean the machine itself (RFC 6761).
  if (/(?:^|\.)localhost\.?$/.test(host) && !isAllowed('127.0.0.1')) throw refused(`${host} is an address of an internal network.`)
  if (isIP(host) !== 0 && !isAllowed(host)) throw refused(`${host} is an address of an internal network.`)
  return host
}

function refusalIn(error: unknown): AppError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isAppError(at) && at.code === 'address_refused') return at
  return undefined
}

const resolveAll = (name: string) => lookup(name, { all: true })

export function createOutbound({ allowed, resolve = resolveAll, resolveTimeoutMs = 2_000 }: OutboundOptions): Outbound {
  const isAllowed = createAddressRule(allowed)

  function requireAllowed(name: string, addresses: readonly Address[]): void {
    const inside = addresses.find(({ address }) => !isAllowed(address))
    if (inside !== undefined) throw refused(`${name} resolves to ${inside.address}, an address of an internal network.`)
  }

  const checkedLookup: LookupFunction = (name, options, done) => {
    resolve(name).then(
      addresses => {
        try {
          requireAllowed(name, addresses)
        } catch (error) {
          return done(error as Error, '')
        }
        const [first] = addresses
        if (options.all) return done(null, [...addresses])
        return first === undefined ? done(refused(`${name} has no address.`), '') : done(null, first.address, first.family)
      },
      (error: Error) => done(error, ''),
    )
  }
  const agent = new Agent({ connect: { lookup: checkedLookup } })

  return {
    async check(url) {
      const host = targetOf(url, isAllowed)
      if (/[?#]/.test(url)) throw refused('A stored address must not contain a query or a fragment. Send keys as secrets.')
      if (isIP(host) !== 0) return
      const late = AbortSignal.timeout(resolveTimeoutMs)
      const addresses = await Promise.race([
        resolve(host).catch(() => []),
        new Promise<readonly Address[]>(done => late.addEventListener('abort', () => done([]), { once: true })),
      ])
      requireAllowed(host, addresses)
    },
    async fetch(input, init) {
      const url = input instanceof Request ? input.url : String(input)
      targetOf(url, isAllowed)
      try {
        const sent = { ...(init as object), dispatcher: agent, redirect: 'manual' as const }
        return (await undiciFetch(url, sent)) as unknown as Response
      } catch (error) {
        throw refusalIn(error) ?? error
      }
    },
    close: () => agent.close(),
  }
}
