// Authorization for projects and organizations: a key, or a person who has signed in.
import type { Actor } from '@svc-server/relational/actor'
import type { Role } from '@svc-server/relational/roles'

export interface Caller {
  readonly projectId: string
  readonly actor: Actor
  /** Of a person who has signed in: `user:` and the id. */
  readonly publicKey: string
  /** Authenticated by the public key alone: may send scores. */
  readonly scoresOnly: boolean
  /** Of a person; a key has none, and may do all that its operations do. */
  readonly role?: Role
}

/** Who administers an organization. */
export interface Administrator {
  readonly orgId: string
  readonly actor: Actor
  /** Of a person; a key has none, and may do all that its operations do. */
  readonly role?: Role
}

/** The person who sends the request; null: a key does. */
export const userIdOf = ({ actor }: Pick<Caller, 'actor'>): string | null =>
  actor !== 'operator' && 'userId' in actor ? actor.userId : null
