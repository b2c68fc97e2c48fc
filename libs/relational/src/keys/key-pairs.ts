// A secret leaves this module only once: when its key is created.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import type { Author } from '../tenancy/audit.ts'
import { isConflict, isMissingReference } from '../tenancy/conflicts.ts'
import type { Instance, InstanceRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { sql } from '../tenancy/sql.ts'
import { createFastHash, displaySecret, saltId, slowHash } from './hashes.ts'
import { type ApiKeyRow, accessOf, type CreatedKeyPair, type KeySummary, type NewKeyPair } from './key-types.ts'

const summaryOf = (row: ApiKeyRow, orgId: string): KeySummary => ({
  id: row.id,
  publicKey: row.public_key,
  displaySecretKey: row.display_secret_key,
  scope: accessOf(row),
  orgId,
  projectId: row.project_id,
  note: row.note,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
})

/** Clients send `base64(publicKey:secretKey)`, so the public key cannot contain a colon. */
const chosenKeys = ({ publicKey, secretKey }: NewKeyPair): { readonly publicKey: string; readonly secretKey: string } => {
  if (publicKey === undefined && secretKey === undefined)
    return { publicKey: `pk-svc-${randomUUID()}`, secretKey: `sk-svc-${randomUUID()}` }
  if (publicKey === undefined || secretKey === undefined)
    throw new AppError('bad_request', 'Give both a public and a secret key, or neither.')
  if (!/^[!-9;-~]{1,256}$/.test(publicKey))
    throw new AppError('bad_request', 'A public key must have 1 to 256 visible ASCII characters and no colon.')
  if (!/^[!-~]{8,1024}$/.test(secretKey)) throw new AppError('bad_request', 'A secret key must have 8 to 1024 visible ASCII characters.')
  return { publicKey, secretKey }
}

const ownerOf = async (all: Instance, owner: NewKeyPair['owner']) => {
  if ('orgId' in owner)
    return { orgId: owner.orgId, columns: { scope: 'ORGANIZATION', organization_id: owner.orgId, project_id: null } } as const
  const project = await all.find('projects', owner.projectId)
  if (project === undefined || project.deleted_at !== null) {
    throw new AppError('bad_request', `There is no project ${owner.projectId}.`, { projectId: owner.projectId })
  }
  return { orgId: project.org_id, columns: { scope: 'PROJECT', organization_id: null, project_id: owner.projectId } } as const
}

export const createKeyPairs = (all: Instance, salt: string) => {
  const fastHash = createFastHash(salt)
  const currentSalt = saltId(salt)

  const create = async (pair: NewKeyPair): Promise<CreatedKeyPair> => {
    const { publicKey, secretKey } = chosenKeys(pair)
    const owner = await ownerOf(all, pair.owner)
    const slow = await slowHash(secretKey)
    try {
      const given = {
        id: randomUUID(),
        public_key: publicKey,
        hashed_secret_key: slow,
        fast_hashed_secret_key: fastHash(secretKey),
        fast_hash_salt_id: currentSalt,
        display_secret_key: displaySecret(secretKey),
        ...owner.columns,
        note: pair.note ?? null,
        expires_at: pair.expiresAt ?? null,
      }
      const insert = (rows: InstanceRows) => rows.insert('api_keys', given).returningAll().executeTakeFirstOrThrow()
      const row = await changed(pair.by, insert, ({ id }) => ({ id, orgId: owner.orgId, projectId: given.project_id, action: 'create' }))
      return { ...summaryOf(row, owner.orgId), secretKey }
    } catch (error) {
      if (isConflict(error)) throw new AppError('bad_request', 'A key with this public or secret key already exists.', {}, { cause: error })
      if (isMissingReference(error)) throw new AppError('bad_request', `There is no organization ${owner.orgId}.`, {}, { cause: error })
      throw error
    }
  }

  const list = async (owner?: { readonly projectId: string } | { readonly orgId: string }): Promise<readonly KeySummary[]> => {
    const orgId = sql<string>`coalesce(api_keys.organization_id, projects.org_id, '')`
    let query = all
      .select('api_keys')
      .leftJoin('projects', 'projects.id', 'api_keys.project_id')
      .selectAll('api_keys')
      .select(orgId.as('orgId'))
      .orderBy('api_keys.created_at')
      .orderBy('api_keys.id')
    if (owner !== undefined)
      query = 'projectId' in owner ? query.where('api_keys.project_id', '=', owner.projectId) : query.where(orgId, '=', owner.orgId)
    return (await query.execute()).map(row => summaryOf(row, row.orgId))
  }

  const revoke = async (idOrPublicKey: string, nowMs: number, by?: Author): Promise<string | undefined> => {
    if (!canBeId(idOrPublicKey)) return undefined
    const update = async (rows: InstanceRows) => {
      const row = await rows
        .update('api_keys')
        // v3 ignores the revocation date. If the row kept its hashes, v3 would still accept the key.
        .set({ revoked_at: new Date(nowMs), fast_hashed_secret_key: null, hashed_secret_key: sql<string>`'revoked ' || id` })
        .where('revoked_at', 'is', null)
        .where(where => where.or([where('id', '=', idOrPublicKey), where('public_key', '=', idOrPublicKey)]))
        .returning(['id', 'project_id', 'organization_id'])
        .executeTakeFirst()
      if (row === undefined || row.project_id === null) return row
      const project = await rows.find('projects', row.project_id)
      return { ...row, organization_id: project?.org_id ?? null }
    }
    const row = await changed(
      by,
      update,
      revoked => revoked && { id: revoked.id, orgId: revoked.organization_id ?? '', projectId: revoked.project_id, action: 'delete' },
    )
    return row?.id
  }

  interface Change {
    readonly id: string
    readonly orgId: string
    readonly projectId: string | null
    readonly action: 'create' | 'delete'
  }

  /** An audit entry is written if the change has an author. */
  function changed<T>(
    by: Author | undefined,
    work: (rows: InstanceRows) => Promise<T>,
    entryOf: (value: T) => Change | undefined,
  ): Promise<T> {
    if (by === undefined) return all.unaudited(work)
    return all.write(by, async rows => {
      const value = await work(rows)
      const entry = entryOf(value)
      if (entry === undefined) return { value, audit: [] }
      const { id: resourceId, ...of } = entry
      return { value, audit: [{ resourceType: 'apiKey', resourceId, ...of }] }
    })
  }

  return { create, list, revoke }
}
