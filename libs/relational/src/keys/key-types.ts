// The words of the key store.

import type { Organization } from '../organizations/repository.ts'
import type { ProjectDeletion } from '../projects/deletion.ts'
import type { Author } from '../tenancy/audit.ts'
import type { RowOf } from '../tenancy/rows.ts'

export type ApiKeyRow = RowOf<'api_keys'>

export type KeyAccess = 'project' | 'organization'

export const accessOf = ({ scope }: Pick<ApiKeyRow, 'scope'>): KeyAccess => (scope === 'PROJECT' ? 'project' : 'organization')

/** What a credential may do: what its key may, or, of a public key alone, send scores. */
type AccessLevel = KeyAccess | 'scores'

/** `projectId` is null for keys of an organisation. */
export interface KeyScope {
  readonly accessLevel: AccessLevel
  readonly orgId: string
  readonly projectId: string | null
  readonly apiKeyId: string
  readonly publicKey: string
  /** Milliseconds since the epoch; absent: never. */
  readonly expiresAtMs?: number
}

interface Project {
  readonly id: string
  readonly orgId: string
  readonly name: string
  readonly createdAt: Date
}

export interface KeySummary {
  readonly id: string
  readonly publicKey: string
  readonly displaySecretKey: string
  readonly scope: KeyAccess
  readonly orgId: string
  readonly projectId: string | null
  readonly note: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

/** The only time a secret key is seen. */
export interface CreatedKeyPair extends KeySummary {
  readonly secretKey: string
}

export interface NewKeyPair {
  /** A project's key, or with `orgId` alone an organisation's. */
  readonly owner: { readonly projectId: string } | { readonly orgId: string }
  readonly note?: string
  readonly expiresAt?: Date
  /** Both or none; made up when absent. */
  readonly publicKey?: string
  readonly secretKey?: string
  /** Who made it, for the audit log; absent: the server itself. */
  readonly by?: Author
}

export interface FirstProject {
  readonly orgId: string
  readonly projectId: string
  readonly orgName?: string
  readonly projectName?: string
  /** Both or none. */
  readonly publicKey?: string
  readonly secretKey?: string
  /** Of the key pair. */
  readonly note?: string
}

export interface EnsuredProject {
  readonly orgId: string
  readonly projectId: string
  readonly createdProject: boolean
  readonly createdKey: boolean
  /** What was deleted or revoked since it was made. It is not made again, and the key pair gives no access. */
  readonly takenAway: 'project' | 'key' | null
}

export type KeyChange = { readonly kind: 'created' | 'revoked'; readonly apiKeyId: string }

export interface KeyStore {
  createOrganization(organization: {
    readonly id?: string
    readonly name: string
  }): Promise<Pick<Organization, 'id' | 'name' | 'createdAt'>>
  createProject(project: { readonly id?: string; readonly orgId: string; readonly name: string }): Promise<Project>
  /** Projects that are not deleted, oldest first. */
  listProjects(): Promise<readonly Project[]>
  /** Throws `bad_request` when the owner does not exist or a given key is taken. */
  createKeyPair(pair: NewKeyPair): Promise<CreatedKeyPair>
  /** Keys of a project, of an organisation (its own and those of its projects), or all; oldest first, revoked ones included. */
  listKeys(owner?: { readonly projectId: string } | { readonly orgId: string }): Promise<readonly KeySummary[]>
  /** By id or public key. False when there is no such key that is still valid. `by`: for the audit log; absent: the server itself. */
  revoke(idOrPublicKey: string, by?: Author): Promise<boolean>
  /** Has keys looked up again at their next use: they may have been deleted. */
  forget(apiKeyIds: readonly string[]): void
  /**
   * Takes a project away from everybody: its keys are gone at once, from caches too, and its deletion is noted. False: there is
   * no such project.
   */
  deleteProject(deletion: ProjectDeletion): Promise<boolean>
  /** The key pair of a purpose: the same in every process of the deployment, made up of its salt, and kept nowhere. */
  pairOf(purpose: string): { readonly publicKey: string; readonly secretKey: string }
  /**
   * Makes organisation, project and key unless they are there or were taken away. Throws `config_invalid` when what is there
   * contradicts it.
   */
  ensureProject(project: FirstProject): Promise<EnsuredProject>
  /**
   * Null for a credential that is unknown, revoked, expired or of a deleted project. The secret alone decides; the public key
   * serves only to find a key whose fast hash is missing. Throws `relational_unavailable`.
   */
  verify(publicKey: string, secretKey: string): Promise<KeyScope | null>
  /** The scope `scores` of a project's public key; null for every other text. Throws `relational_unavailable`. */
  verifyPublicKey(publicKey: string): Promise<KeyScope | null>
  /** Called after a key was made or revoked by this store object. Returns the way to stop it. */
  onChange(listener: (change: KeyChange) => void): () => void
}
