import type { Actor } from '@svc-server/relational/actor'
import type { Role } from '@svc-server/relational/roles'

export interface Caller {
  readonly projectId: string
  readonly actor: Actor
  /** The public key of the request. For a signed-in person, this is `user:` and the person's id. */
  readonly publicKey: string
  /** True if the client sent only the public key. Then only scores are accepted. */
  readonly scoresOnly: boolean
  /** Role of a signed-in person; keys have none. */
  readonly role?: Role
}

export interface Administrator {
  readonly orgId: string
  readonly actor: Actor
  /** A key has no role. */
  readonly role?: Role
}

/** Returns the id of the signed-in person, or null if the request uses a key. */
export const userIdOf = ({ actor }: Pick<Caller, 'actor'>): string | null =>
  actor !== 'operator' && 'userId' in actor ? actor.userId : null
