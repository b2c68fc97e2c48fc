// Types of the key store.

import type { Organization } from '../organizations/repository.ts'
import type { ProjectDeletion } from '../projects/deletion.ts'
import type { Author } from '../tenancy/audit.ts'
import type { RowOf } from '../tenancy/rows.ts'

export type ApiKeyRow = RowOf<'api_keys'>

export type KeyAccess = 'project' | 'organization'

export const accessOf = ({ scope }: Pick<ApiKeyRow, 'scope'>): KeyAccess => (scope === 'PROJECT' ? 'project' : 'organization')

/**
 * Access of a credential: its key's access, or `scores` if a client sends a public key without its secret. `scores` allows only sending
 * scores.
 */
type AccessLevel = KeyAccess | 'scores'

/** `projectId` is null for keys of an organization. */
export interface KeyScope {
  readonly accessLevel: AccessLevel
  readonly orgId: string
  readonly projectId: string | null
  readonly apiKeyId: string
  readonly publicKey: string
  /** Expiry in milliseconds since the epoch. The default is no expiry. */
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

/** A new key pair. No other result type contains a secret key. */
export interface CreatedKeyPair extends KeySummary {
  readonly secretKey: string
}

export interface NewKeyPair {
  /** The owner is a project, or an organization if only `orgId` is given. */
  readonly owner: { readonly projectId: string } | { readonly orgId: string }
  readonly note?: string
  readonly expiresAt?: Date
  /** The caller gives both a public and a secret key, or neither. Missing keys are generated. */
  readonly publicKey?: string
  readonly secretKey?: string
  /** The author for the audit log; absent if the server itself makes the change. */
  readonly by?: Author
}

export interface FirstProject {
  readonly orgId: string
  readonly projectId: string
  readonly orgName?: string
  readonly projectName?: string
  /** The caller gives both a public and a secret key, or neither. */
  readonly publicKey?: string
  readonly secretKey?: string
  /** A note that is stored with the key pair. */
  readonly note?: string
}

export interface EnsuredProject {
  readonly orgId: string
  readonly projectId: string
  readonly createdProject: boolean
  readonly createdKey: boolean
  /**
   * `project` if the project was deleted; `key` if the key was revoked. Deleted projects and revoked keys are not recreated, so the
   * returned key pair gives no access.
   */
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
  /** Creates a key pair. Throws `bad_request` if the owner does not exist or a given key exists already. */
  createKeyPair(pair: NewKeyPair): Promise<CreatedKeyPair>
  /** Returns all keys, the keys of a project, or the keys of an organization and its projects, oldest first. Revoked keys are included. */
  listKeys(owner?: { readonly projectId: string } | { readonly orgId: string }): Promise<readonly KeySummary[]>
  /**
   * Revokes a key by id or public key. Returns false if no valid key matches. `by` is the author for the audit log; it is absent if the
   * server itself makes the change.
   */
  revoke(idOrPublicKey: string, by?: Author): Promise<boolean>
  /** Removes from the caches all keys that were possibly deleted; the next use of such a key queries the store. */
  forget(apiKeyIds: readonly string[]): void
  /**
   * Deletes the keys of a project immediately, even from caches, and records the deletion of the project. Returns false if the project does
   * not exist.
   */
  deleteProject(deletion: ProjectDeletion): Promise<boolean>
  /**
   * Returns a key pair derived from the salt and a purpose. The key pair is the same in every process of the deployment and is not stored.
   */
  pairOf(purpose: string): { readonly publicKey: string; readonly secretKey: string }
  /**
   * Creates the organization, the project, and the key unless they exist or were deleted. Throws `config_invalid` if existing rows conflict
   * with the configuration.
   */
  ensureProject(project: FirstProject): Promise<EnsuredProject>
  /**
   * Returns null for a credential that is unknown, revoked, or expired, and for a credential of a deleted project. The secret alone
   * determines the scope. The public key is only used to find a key that has no fast hash. Throws `relational_unavailable`.
   */
  verify(publicKey: string, secretKey: string): Promise<KeyScope | null>
  /** Returns the scope `scores` for the public key of a project, and null for any other text. Throws `relational_unavailable`. */
  verifyPublicKey(publicKey: string): Promise<KeyScope | null>
  /** The listener is called after this store object creates or revokes a key. Returns a function that removes the listener. */
  onChange(listener: (change: KeyChange) => void): () => void
}
