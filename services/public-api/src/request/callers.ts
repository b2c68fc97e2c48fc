// The callers of operations on projects and organizations: a key, or a signed-in person.
import type { Actor } from '@svc-server/relational/actor'
import type { Role } from '@svc-server/relational/roles'

export interface Caller {
  readonly projectId: string
  readonly actor: Actor
  /** For a signed-in person, the text `user:` and the person's id. */
  readonly publicKey: string
  /** True if the client authenticated with the public key alone. A client without a secret key can send only scores. */
  readonly scoresOnly: boolean
  /** Role of a signed-in person. A key has no role, and can call every operation that accepts keys of its kind. */
  readonly role?: Role
}

/** The administrator of an organization: a client with the organization's key, or a person. */
export interface Administrator {
  readonly orgId: string
  readonly actor: Actor
  /** Role of a signed-in person. A key has no role, and can call every operation that accepts keys of its kind. */
  readonly role?: Role
}

/** The person who sends the request; null if the request uses a key. */
export const userIdOf = ({ actor }: Pick<Caller, 'actor'>): string | null =>
  actor !== 'operator' && 'userId' in actor ? actor.userId : null
