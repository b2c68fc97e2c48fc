// Resolves an Authorization header to a scope. Scopes and rejections are cached. Two lookups of one credential never run at the same time,
// and lanes (slots for concurrent lookups) prevent one address from using all of the store's capacity. During an outage of the store,
// cached scopes stay valid for longer.
import { hash, randomBytes } from 'node:crypto'
import { AppError, isAppError } from '@svc-server/errors'
import { LRUCache } from 'lru-cache'
import type { KeyScope, KeyStore } from '../keys/key-types.ts'
import { type Credential, parseAuthorization, unknownKey } from './authorization-header.ts'
import { createBackoff } from './backoff.ts'
import { createLookupLanes } from './lookup-lanes.ts'

/**
 * `hit` and `negative_hit`: the result came from the cache. `miss`: the store was queried. `stale`: the store is unavailable, and an
 * expired result was used. `backoff`: too many wrong secrets for this public key came from this address. `overflow`: too many lookups are
 * waiting. `mismatch`: the public key does not belong to the secret. The request is still accepted, because the secret alone
 * determines the scope.
 */
export const authenticationEvents = ['hit', 'negative_hit', 'miss', 'stale', 'backoff', 'overflow', 'mismatch'] as const
export type AuthenticationEvent = (typeof authenticationEvents)[number]

export interface AuthenticatorOptions {
  /**
   * How long a scope is used after the store was queried for it; 30 s by default. If the scope is older than half of this time, the
   * next request that uses the scope also starts to refresh the scope.
   */
  readonly ttlMs?: number
  /**
   * How long a rejected credential is rejected again without a query. The default is 10 s, so that a key created by another process is
   * soon accepted.
   */
  readonly negativeTtlMs?: number
  /**
   * Maximum age of a cached scope that is used during an outage of the store; 15 min by default. The age counts from the start of the last
   * successful query for this scope.
   */
  readonly staleMs?: number
  /**
   * Maximum number of cached scopes; 10,000 by default. The maximum number of cached rejections is the smaller of `maxEntries` and 1,000.
   */
  readonly maxEntries?: number
  /** Number of concurrent lookups of unknown credentials; 4 by default. */
  readonly lanes?: number
  /** Maximum number of waiting lookups in total (512 by default) and per address (64 by default). */
  readonly maxWaiting?: number
  readonly maxWaitingPerAddress?: number
  /**
   * Verifies a public key that a client sends without the secret, and returns a scope with the access level `scores`. Without this
   * function, such a key is rejected before any lookup.
   */
  readonly verifyPublicKey?: KeyStore['verifyPublicKey'] | undefined
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  readonly onEvent?: (event: AuthenticationEvent) => void
}

/**
 * An undefined `address` exempts the client from the limits per address. Throws `key_missing`, `key_unknown`, `key_scope`, `key_backoff`,
 * `relational_unavailable`, or `overloaded`.
 */
export type Authenticate = (authorizationHeader: string | undefined, address?: string) => Promise<KeyScope>

interface Entry {
  readonly scope: KeyScope
  /**
   * After this time, a request that finds this scope in the cache starts to read the scope from the store again. The request waits for this
   * read only after `freshUntilMs`. During an outage, a failed read sets `refreshAtMs` to `retryRefreshMs` from now. Requests before
   * the new `refreshAtMs` use the cached scope at once. Only later requests wait for the store.
   */
  readonly refreshAtMs: number
  /** After this time, the scope is used only if the store is unavailable. */
  readonly freshUntilMs: number
  /** After this time, the scope is never used, even if the store is unavailable. */
  readonly endsAtMs: number
}

/** Pause between two attempts to refresh a scope while the store is unavailable. */
const retryRefreshMs = 5_000
const maxRefusals = 1_000
/**
 * Refreshes of scopes have their own lanes (slots for concurrent lookups). Requests with guessed keys cannot delay a refresh, so
 * revocations take effect in time.
 */
const refreshLanes = { lanes: 2, maxWaiting: Number.POSITIVE_INFINITY, maxWaitingPerSource: Number.POSITIVE_INFINITY } as const

/**
 * In keys of log records, a project's id ends at the first slash. A project whose id contains a slash (created by v3 or by SQL) would be
 * mistaken for another project.
 */
function requireUsableProject(scope: KeyScope): KeyScope {
  if (!scope.projectId?.includes('/')) return scope
  const message = 'The project id contains a slash, which is not allowed here: use a key pair of a project without a slash in its id.'
  throw new AppError('key_scope', message)
}

const codeOf = (error: unknown) => (isAppError(error) ? error.code : undefined)
const isDown = (error: unknown): boolean => codeOf(error) === 'relational_unavailable'

export const createAuthenticator = (
  keyStore: Pick<KeyStore, 'verify'> & Partial<Pick<KeyStore, 'onChange'>>,
  options: AuthenticatorOptions = {},
): Authenticate => {
  const { ttlMs = 30_000, negativeTtlMs = 10_000, staleMs = 900_000, maxEntries = 10_000 } = options
  const { verifyPublicKey } = options
  const parse = (header: string) => parseAuthorization(header, { takesPublicKeys: verifyPublicKey !== undefined })
  const { lanes = 4, maxWaiting = 512, maxWaitingPerAddress = 64, clock = Date.now, onEvent = () => {} } = options
  const scopes = new LRUCache<string, Entry>({ max: maxEntries })
  const refusals = new LRUCache<string, number>({ max: Math.min(maxEntries, maxRefusals) })
  const lookups = new Map<string, Promise<KeyScope>>()
  const unknown = createLookupLanes({ lanes, maxWaiting, maxWaitingPerSource: maxWaitingPerAddress })
  const known = createLookupLanes(refreshLanes)
  const backoff = createBackoff({ clock })
  let changes = 0

  // The key of a cache entry is a digest of a random prefix and the header, so that no secret can be found in a memory dump.
  const prefix = randomBytes(16).toString('base64')
  const digest = (header: string) => hash('sha256', prefix + header, 'base64')

  keyStore.onChange?.(change => {
    changes += 1
    if (change.kind === 'revoked') {
      for (const [key, { scope }] of [...scopes.entries()]) if (scope.apiKeyId === change.apiKeyId) scopes.delete(key)
      return
    }
    refusals.clear()
    backoff.forget()
  })

  const remember = (key: string, scope: KeyScope | null, askedAtMs: number) => {
    if (scope === null) {
      scopes.delete(key)
      refusals.set(key, clock() + negativeTtlMs)
      return
    }
    const until = (afterMs: number) => Math.min(askedAtMs + afterMs, scope.expiresAtMs ?? Number.POSITIVE_INFINITY)
    scopes.set(key, { scope, refreshAtMs: until(ttlMs / 2), freshUntilMs: until(ttlMs), endsAtMs: until(Math.max(ttlMs, staleMs)) })
  }

  const staleScope = (key: string): KeyScope | undefined => {
    const entry = scopes.get(key)
    const nowMs = clock()
    if (entry === undefined || nowMs >= entry.endsAtMs) return undefined
    scopes.set(key, { ...entry, refreshAtMs: nowMs + retryRefreshMs })
    return entry.scope
  }

  /** If a key is created or revoked during the query, the result can be outdated, and is not cached. */
  const load = async (key: string, { publicKey, secretKey }: Credential): Promise<KeyScope> => {
    onEvent('miss')
    const changesBefore = changes
    const askedAtMs = clock()
    const scope = secretKey === null ? await verifyPublicKey!(publicKey) : await keyStore.verify(publicKey, secretKey)
    if (changes === changesBefore) remember(key, scope, askedAtMs)
    if (scope === null) throw unknownKey()
    if (scope.publicKey !== publicKey) onEvent('mismatch')
    return scope
  }

  const once = (key: string, work: () => Promise<KeyScope>): Promise<KeyScope> => {
    const running = lookups.get(key)
    if (running !== undefined) return running
    const lookup = work().finally(() => lookups.delete(key))
    lookups.set(key, lookup)
    return lookup
  }

  const refresh = (key: string, header: string): Promise<KeyScope> =>
    once(key, async () => {
      const credential = parse(header)
      try {
        return await known.run(key, () => load(key, credential))
      } catch (error) {
        const stale = isDown(error) ? staleScope(key) : undefined
        if (stale === undefined) throw error
        return stale
      }
    })

  const firstLook = (key: string, header: string, address: string | undefined): Promise<KeyScope> =>
    once(key, async () => {
      const credential = parse(header)
      const { publicKey, secretKey } = credential
      // A client that tries several public keys is not guessing, because a public key is no secret.
      const ended = address === undefined || secretKey === null ? () => {} : backoff.attempt(address, publicKey, key)
      try {
        const scope = await unknown.run(address ?? `key ${publicKey}`, () => load(key, credential))
        ended('let in')
        return scope
      } catch (error) {
        ended(codeOf(error) === 'key_unknown' ? 'wrong' : 'unknown')
        throw error
      }
    }).catch((error: unknown) => {
      if (codeOf(error) === 'key_backoff') onEvent('backoff')
      if (codeOf(error) === 'overloaded') onEvent('overflow')
      throw error
    })

  const cached = (
    key: string,
    header: string,
    { scope, refreshAtMs, freshUntilMs }: Entry,
    nowMs: number,
  ): KeyScope | Promise<KeyScope> => {
    if (nowMs < freshUntilMs) {
      onEvent('hit')
      if (nowMs >= refreshAtMs) void refresh(key, header).catch(() => {})
      return scope
    }
    if (nowMs < refreshAtMs) {
      onEvent('stale')
      return scope
    }
    return refresh(key, header).then(fresh => {
      if ((scopes.get(key)?.freshUntilMs ?? Number.POSITIVE_INFINITY) <= nowMs) onEvent('stale')
      return fresh
    })
  }

  const look = (header: string, address: string | undefined): KeyScope | Promise<KeyScope> => {
    const key = digest(header)
    const nowMs = clock()
    const entry = scopes.get(key)
    if (entry !== undefined && nowMs < entry.endsAtMs) return cached(key, header, entry, nowMs)
    const refusedUntilMs = refusals.get(key)
    if (refusedUntilMs !== undefined && nowMs < refusedUntilMs) {
      onEvent('negative_hit')
      throw unknownKey()
    }
    return firstLook(key, header, address)
  }

  return async (header = '', address) => requireUsableProject(await look(header, address))
}
