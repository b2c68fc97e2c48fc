import type { Rejection } from '@svc-server/stream/chunk'
import type { Tally } from '@svc-server/stream/dead-letter-limit'
import type { Incoming } from './incoming.ts'
import type { Known } from './known.ts'
import type { Said } from './merge.ts'

export interface Taken {
  readonly incoming: readonly Incoming[]
  /** For each entity, its stored record, or null if the local state does not have the entity. */
  readonly stored: ReadonlyMap<string, Buffer | null>
  readonly end: number
  readonly unreadable: readonly Rejection[]
}

export interface Chunk {
  readonly said: readonly Said[]
  /** Each function decodes the known state of one entity. The state is decoded only when it is needed. */
  readonly known: ReadonlyMap<string, () => Known>
  readonly end: number
  readonly unreadable: readonly Rejection[]
}

export function tallyOf({ said, unreadable }: Chunk, rejected: readonly Rejection[]): Tally {
  const items = said.reduce((sum, { incoming }) => sum + incoming.length, unreadable.length)
  return { items, owners: new Set(said.map(({ identity }) => identity.projectId)), rejected, itemsOf: () => 1 }
}
