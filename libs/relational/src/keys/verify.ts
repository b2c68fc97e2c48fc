// Resolves a credential to its scope with one query. The secret alone determines the API key, even if the public key belongs to a different
// API key.
import { isAppError } from '@svc-server/errors'
import { isConflict } from '../tenancy/conflicts.ts'
import type { Instance } from '../tenancy/handles.ts'
import { createFastHash, equalHashes, saltId, verifySlowHash } from './hashes.ts'
import { type ApiKeyRow, accessOf, type KeyScope } from './key-types.ts'

export interface VerifyOptions {
  readonly salt: string
  readonly now: () => number
}

/** False if the texts cannot be keys. Such texts are never passed to the database, because a query with NUL would fail. */
const plausible = (publicKey: string, secretKey: string): boolean =>
  publicKey.length <= 256 && secretKey.length <= 1024 && !publicKey.includes('\0')

/** Ignores the error `relational_unavailable`, because an authorized request must succeed even if the store is read-only. */
async function bestEffort(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isAppError(error) || error.code !== 'relational_unavailable') throw error
  }
}

/** Least time between two updates of a key's `last_used_at`. The value is only for people, and a write per request would cost too much. */
const usedEveryMs = 3_600_000

type KeyWithProject = ApiKeyRow & { readonly deleted_at: Date | null; readonly org_id: string | null }

const scopeOf = (row: KeyWithProject, nowMs: number): KeyScope | null => {
  if (row.revoked_at !== null || row.deleted_at !== null) return null
  if (row.expires_at !== null && row.expires_at.getTime() <= nowMs) return null
  const orgId = row.organization_id ?? row.org_id
  // The key's project was deleted.
  if (orgId === null) return null
  return {
    accessLevel: accessOf(row),
    orgId,
    projectId: row.project_id,
    apiKeyId: row.id,
    publicKey: row.public_key,
    ...(row.expires_at === null ? {} : { expiresAtMs: row.expires_at.getTime() }),
  }
}

export const createVerify = (all: Instance, { salt, now }: VerifyOptions) => {
  const fastHash = createFastHash(salt)
  const currentSalt = saltId(salt)

  const candidates = (fast: string, publicKey: string): Promise<readonly KeyWithProject[]> =>
    all
      .select('api_keys')
      .leftJoin('projects', 'projects.id', 'api_keys.project_id')
      .selectAll('api_keys')
      .select(['projects.deleted_at', 'projects.org_id'])
      .where(where => where.or([where('fast_hashed_secret_key', '=', fast), where('public_key', '=', publicKey)]))
      .execute()

  const keepFastHash = (id: string, fast: string): Promise<void> =>
    bestEffort(async () => {
      try {
        const kept = { fast_hashed_secret_key: fast, fast_hash_salt_id: currentSalt }
        await all.unaudited(rows => rows.update('api_keys').set(kept).where('id', '=', id).execute())
      } catch (error) {
        // Another key with the same secret already has this fast hash. Later lookups by this hash find the other key.
        if (!isConflict(error)) throw error
      }
    })

  // Slow hashes and operations on the log's files share a thread pool, so only one slow hash runs at a time.
  let slowTurn: Promise<unknown> = Promise.resolve()
  const verifyInTurn = (secretKey: string, encoded: string): Promise<boolean> => {
    const turn = slowTurn.then(() => verifySlowHash(secretKey, encoded))
    slowTurn = turn.catch(() => {})
    return turn
  }

  /**
   * Finds the key with this public key, and compares the secret with the key's slow hash. The caller has found no key with the secret's
   * fast hash. If the fast hash in the key's row was made with the current salt, this proves that the secret is wrong. In this case, the
   * function rejects the secret without the slow hash. If the function always computed the slow hash, each guess of a client that has only
   * a public key would cost 40 ms of CPU time.
   */
  const findSlowly = async (rows: readonly KeyWithProject[], publicKey: string, secretKey: string, fast: string) => {
    const row = rows.find(candidate => candidate.public_key === publicKey)
    if (row === undefined || row.fast_hash_salt_id === currentSalt) return undefined
    if (!(await verifyInTurn(secretKey, row.hashed_secret_key))) return undefined
    await keepFastHash(row.id, fast)
    return row
  }

  const touch = async (row: KeyWithProject, nowMs: number): Promise<void> => {
    if (row.last_used_at !== null && nowMs - row.last_used_at.getTime() < usedEveryMs) return
    const used = { last_used_at: new Date(nowMs) }
    await all.unaudited(rows => rows.update('api_keys').set(used).where('id', '=', row.id).execute())
  }

  return async (publicKey: string, secretKey: string): Promise<KeyScope | null> => {
    if (!plausible(publicKey, secretKey)) return null
    const fast = fastHash(secretKey)
    const rows = await candidates(fast, publicKey)
    const found = rows.find(row => row.fast_hashed_secret_key !== null && equalHashes(row.fast_hashed_secret_key, fast))
    const row = found ?? (await findSlowly(rows, publicKey, secretKey, fast))
    if (row === undefined) return null
    const nowMs = now()
    const scope = scopeOf(row, nowMs)
    if (scope !== null) await touch(row, nowMs)
    return scope
  }
}

/** Accepts only public keys of projects. Data sent with an organization's public key would belong to no project. */
export const createVerifyPublicKey =
  (all: Instance, now: () => number) =>
  async (publicKey: string): Promise<KeyScope | null> => {
    if (!plausible(publicKey, '')) return null
    const row = await all
      .select('api_keys')
      .leftJoin('projects', 'projects.id', 'api_keys.project_id')
      .selectAll('api_keys')
      .select(['projects.deleted_at', 'projects.org_id'])
      .where('public_key', '=', publicKey)
      .executeTakeFirst()
    const scope = row === undefined ? null : scopeOf(row, now())
    return scope === null || scope.accessLevel !== 'project' ? null : { ...scope, accessLevel: 'scores' }
  }
