// From an Authorization header to a scope, at a microsecond for what is known. The relational store is asked once per credential
// and TTL, never twice at the same time for one credential, and its outage does not stop those who were let in before.
import { hash, randomBytes } from 'node:crypto'
import { AppError, isAppError } from '@svc-server/errors'
import type { KeyScope, KeyStore } from '../keys/key-types.ts'
import { parseAuthorization, unknownKey } from './authorization-header.ts'
import { createBoundedCache } from './bounded-cache.ts'

/**
 * hit, negative_hit: answered from the cache. miss: the store was asked. stale: the store is down or flooded, an expired answer was used.
 * mismatch: the public key is not the one of the secret; the secret decided.
 */
export type AuthenticationEvent = 'hit' | 'negative_hit' | 'miss' | 'stale' | 'mismatch'

export interface AuthenticatorOptions {
  /** How long a scope is used without asking again, from when it was loaded. Default 300 s. */
  readonly ttlMs?: number
  /** The same for a refusal. Default 10 s: a key that was just made elsewhere works soon. */
  readonly negativeTtlMs?: number
  /** How long beyond its TTL a scope is used while the store does not answer. Default 15 min. */
  readonly staleMs?: number
  /** Scopes kept; as many refusals again, at most 1,000. Default 10,000. */
  readonly maxEntries?: number
  /** Lookups under way or waiting; above it `overloaded`. Default 256. */
  readonly maxLookups?: number
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  readonly onEvent?: (event: AuthenticationEvent) => void
}

/** Throws `key_missing`, `key_unknown`, `key_scope`, `relational_unavailable` or `overloaded`. */
export type Authenticate = (authorizationHeader: string | undefined) => Promise<KeyScope>

interface Entry {
  readonly scope: KeyScope
  /** When the store is asked again. Moves while the store is down, so that not every request waits for it. */
  readonly refreshAtMs: number
  /** When the scope ends whatever happens. */
  readonly endsAtMs: number
}

/** Between two attempts to refresh one scope from a store that is down. */
const retryRefreshMs = 5_000
const maxRefusals = 1_000

const isDown = (error: unknown): boolean => isAppError(error) && error.code === 'relational_unavailable'

export const createAuthenticator = (
  keyStore: Pick<KeyStore, 'verify'> & Partial<Pick<KeyStore, 'onChange'>>,
  options: AuthenticatorOptions = {},
): Authenticate => {
  const { ttlMs = 300_000, negativeTtlMs = 10_000, staleMs = 900_000, maxEntries = 10_000, maxLookups = 256 } = options
  const { clock = Date.now, onEvent = () => {} } = options
  const scopes = createBoundedCache<Entry>(maxEntries)
  const refusals = createBoundedCache<number>(Math.min(maxEntries, maxRefusals))
  const lookups = new Map<string, Promise<KeyScope>>()
  let changes = 0

  // What is remembered under is a digest with a random prefix: no secret stays in memory, and none can be guessed from a dump.
  const prefix = randomBytes(16).toString('base64')
  const digest = (header: string) => hash('sha256', prefix + header, 'base64')

  keyStore.onChange?.(change => {
    changes += 1
    if (change.kind === 'revoked') scopes.deleteWhere(entry => entry.scope.apiKeyId === change.apiKeyId)
    else refusals.deleteWhere(() => true)
  })

  const remember = (key: string, scope: KeyScope | null, nowMs: number) => {
    if (scope === null) {
      scopes.delete(key)
      refusals.set(key, nowMs + negativeTtlMs)
      return
    }
    const expiresAtMs = scope.expiresAtMs ?? Number.POSITIVE_INFINITY
    const refreshAtMs = Math.min(nowMs + ttlMs, expiresAtMs)
    scopes.set(key, { scope, refreshAtMs, endsAtMs: Math.min(refreshAtMs + staleMs, expiresAtMs) })
  }

  const staleScope = (key: string): KeyScope | undefined => {
    const entry = scopes.get(key)
    const nowMs = clock()
    if (entry === undefined || nowMs >= entry.endsAtMs) return undefined
    scopes.set(key, { ...entry, refreshAtMs: Math.min(nowMs + retryRefreshMs, entry.endsAtMs) })
    return entry.scope
  }

  const load = async (key: string, header: string): Promise<KeyScope> => {
    const { publicKey, secretKey } = parseAuthorization(header)
    onEvent('miss')
    const changesBefore = changes
    try {
      const scope = await keyStore.verify(publicKey, secretKey)
      // A key that was made or revoked meanwhile may have been read before that: the answer is used once and not kept.
      if (changes === changesBefore) remember(key, scope, clock())
      if (scope === null) throw unknownKey()
      if (scope.publicKey !== publicKey) onEvent('mismatch')
      return scope
    } catch (error) {
      const stale = isDown(error) ? staleScope(key) : undefined
      if (stale === undefined) throw error
      onEvent('stale')
      return stale
    }
  }

  const loadOnce = async (key: string, header: string): Promise<KeyScope> => {
    const running = lookups.get(key)
    if (running !== undefined) return running
    if (lookups.size >= maxLookups) {
      const stale = staleScope(key)
      if (stale === undefined) throw new AppError('overloaded', 'Too many credentials are being checked.')
      onEvent('stale')
      return stale
    }
    const lookup = load(key, header).finally(() => lookups.delete(key))
    lookups.set(key, lookup)
    return lookup
  }

  return async (header = '') => {
    const key = digest(header)
    const nowMs = clock()
    const entry = scopes.get(key)
    if (entry !== undefined && nowMs < entry.refreshAtMs) {
      onEvent('hit')
      return entry.scope
    }
    const refusedUntilMs = refusals.get(key)
    if (refusedUntilMs !== undefined && nowMs < refusedUntilMs) {
      onEvent('negative_hit')
      throw unknownKey()
    }
    return loadOnce(key, header)
  }
}
