import type { Organization } from '../organizations/repository.ts'
import type { ProjectDeletion } from '../projects/deletion.ts'
import type { Author } from '../tenancy/audit.ts'
import type { RowOf } from '../tenancy/rows.ts'

export type ApiKeyRow = RowOf<'api_keys'>

export type KeyAccess = 'project' | 'organization'

export const accessOf = ({ scope }: Pick<ApiKeyRow, 'scope'>): KeyAccess => (scope === 'PROJECT' ? 'project' : 'organization')

/** `scores`: access with a public key but without its secret. This access can only send scores. */
type AccessLevel = KeyAccess | 'scores'

/** `projectId` is null for keys of an organization. */
export interface KeyScope {
  readonly accessLevel: AccessLevel
  readonly orgId: string
  readonly projectId: string | null
  readonly apiKeyId: string
  readonly publicKey: string
  /** Time of expiry in milliseconds since the epoch. Without this time, the key does not expire. */
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

/** No other result type contains a secret key. */
export interface CreatedKeyPair extends KeySummary {
  readonly secretKey: string
}

export interface NewKeyPair {
  readonly owner: { readonly projectId: string } | { readonly orgId: string }
  readonly note?: string
  readonly expiresAt?: Date
  /** The caller gives both a public and a secret key, or neither. Missing keys are generated. */
  readonly publicKey?: string
  readonly secretKey?: string
  /** Absent if the server itself makes the change. */
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
  readonly note?: string
}

export interface EnsuredProject {
  readonly orgId: string
  readonly projectId: string
  readonly createdProject: boolean
  readonly createdKey: boolean
  /** `project`: the project was deleted. `key`: the key was revoked. If the value is not null, the key pair gives no access. */
  readonly takenAway: 'project' | 'key' | null
}

export type KeyChange = { readonly kind: 'created' | 'revoked'; readonly apiKeyId: string }

export interface KeyStore {
  createOrganization(organization: {
    readonly id?: string
    readonly name: string
  }): Promise<Pick<Organization, 'id' | 'name' | 'createdAt'>>
  createProject(project: { readonly id?: string; readonly orgId: string; readonly name: string }): Promise<Project>
  /** Oldest first, without deleted projects. */
  listProjects(): Promise<readonly Project[]>
  /** Throws `bad_request` if the owner does not exist or a given key exists already. */
  createKeyPair(pair: NewKeyPair): Promise<CreatedKeyPair>
  /** Returns the oldest key first, and includes revoked keys. For an organization, the list also has the keys of its projects. */
  listKeys(owner?: { readonly projectId: string } | { readonly orgId: string }): Promise<readonly KeySummary[]>
  /** Returns false if no valid key matches. Without `by`, no audit entry is written. */
  revoke(idOrPublicKey: string, by?: Author): Promise<boolean>
  /** Removes keys from the caches. The next lookup of a removed key queries the store. */
  forget(apiKeyIds: readonly string[]): void
  /** Deletes the project and its keys. The keys are also removed from the caches. */
  deleteProject(deletion: ProjectDeletion): Promise<boolean>
  /** Returns a key pair that is the same in every process of the deployment. The pair is not stored. */
  pairOf(purpose: string): { readonly publicKey: string; readonly secretKey: string }
  /** Creates the organization, the project, and the key unless they exist or were deleted. Throws `config_invalid` for conflicting rows. */
  ensureProject(project: FirstProject): Promise<EnsuredProject>
  /**
   * Returns null for an invalid credential. The secret alone determines the scope; the public key is only used to find a key that has no
   * fast hash. Throws `relational_unavailable`.
   */
  verify(publicKey: string, secretKey: string): Promise<KeyScope | null>
  /**
   * Returns a scope with the access level `scores` for the public key of a project, and null for any other text. Throws
   * `relational_unavailable`.
   */
  verifyPublicKey(publicKey: string): Promise<KeyScope | null>
  /** Adds a listener, which is called after this store object creates or revokes a key. Returns a function that removes the listener. */
  onChange(listener: (change: KeyChange) => void): () => void
}
