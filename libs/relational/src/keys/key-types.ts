// Types of the key store.

import type { Organization } from '../organizations/repository.ts'
import type { ProjectDeletion } from '../projects/deletion.ts'
import type { Author } from '../tenancy/audit.ts'
import type { RowOf } from '../tenancy/rows.ts'

export type ApiKeyRow = RowOf<'api_keys'>

export type KeyAccess = 'project' | 'organization'

export const accessOf = ({ scope }: Pick<ApiKeyRow, 'scope'>): KeyAccess => (scope === 'PROJECT' ? 'project' : 'organization')

/** Access of a credential: the access of its key, or, for a public key alone, only sending scores. */
type AccessLevel = KeyAccess | 'scores'

/** `projectId` is null for keys of an organization. */
export interface KeyScope {
  readonly accessLevel: AccessLevel
  readonly orgId: string
  readonly projectId: string | null
  readonly apiKeyId: string
  readonly publicKey: string
  /** Milliseconds since the epoch; never expires when absent. */
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

/** The only type that contains a secret key. */
export interface CreatedKeyPair extends KeySummary {
  readonly secretKey: string
}

export interface NewKeyPair {
  /** The owner is a project, or, with only `orgId`, an organization. */
  readonly owner: { readonly projectId: string } | { readonly orgId: string }
  readonly note?: string
  readonly expiresAt?: Date
  /** Both keys are given, or neither. Missing keys are generated. */
  readonly publicKey?: string
  readonly secretKey?: string
  /** The author for the audit log. Without an author, the server itself made the change. */
  readonly by?: Author
}

export interface FirstProject {
  readonly orgId: string
  readonly projectId: string
  readonly orgName?: string
  readonly projectName?: string
  /** Both keys are given, or neither. */
  readonly publicKey?: string
  readonly secretKey?: string
  /** Note on the key pair. */
  readonly note?: string
}

export interface EnsuredProject {
  readonly orgId: string
  readonly projectId: string
  readonly createdProject: boolean
  readonly createdKey: boolean
  /** Which of the two was deleted or revoked after its creation. That one is not recreated, and the key pair gives no access. */
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
  /**
   * All keys, or the keys of a project or of an organization (including those of its projects). The oldest key is first, and revoked keys
   * are included.
   */
  listKeys(owner?: { readonly projectId: string } | { readonly orgId: string }): Promise<readonly KeySummary[]>
  /**
   * Revokes a key by id or public key. Returns false if no valid key matches. `by` is the author for the audit log. Without it, the server
   * itself made the change.
   */
  revoke(idOrPublicKey: string, by?: Author): Promise<boolean>
  /** Makes the store look up these keys at their next use, because they may have been deleted. */
  forget(apiKeyIds: readonly string[]): void
  /**
   * Deletes a project's keys immediately, also from caches, and records the project's deletion. Returns false if the project does not
   * exist.
   */
  deleteProject(deletion: ProjectDeletion): Promise<boolean>
  /** A key pair derived from the salt and a purpose. It is identical in every process of the deployment, and stored nowhere. */
  pairOf(purpose: string): { readonly publicKey: string; readonly secretKey: string }
  /**
   * Creates the organization, the project, and the key unless they exist or were deleted. Throws `config_invalid` when existing rows
   * conflict with the configuration.
   */
  ensureProject(project: FirstProject): Promise<EnsuredProject>
  /**
   * Returns null for a credential that is unknown, revoked, or expired, and for a credential of a deleted project. The secret alone
   * determines the scope. The public key only helps to find a key that has no fast hash. Throws `relational_unavailable`.
   */
  verify(publicKey: string, secretKey: string): Promise<KeyScope | null>
  /** The scope `scores` of a project's public key; null for any other text. Throws `relational_unavailable`. */
  verifyPublicKey(publicKey: string): Promise<KeyScope | null>
  /** The listener is called after this store object has created or revoked a key. Returns a function that removes the listener. */
  onChange(listener: (change: KeyChange) => void): () => void
}
