// Looks up an entity in the old tables if the state does not have it. The merger merges the found row as if the row were one event
// (contract §14.4).
import type { EntityIdentity } from '@svc-server/entities/codec'
import type { OlderRow } from '@svc-server/entities/older-row'
import type { OtelRoot } from '@svc-server/entities/state'

export interface Older {
  readonly row: OlderRow | null
  /**
   * The trace's span without a parent, from the events tables. Null if the entity is an observation, or if the trace has no span without a
   * parent.
   */
  readonly root: OtelRoot | null
}

export interface OlderRows {
  /**
   * Returns a map from an entity's key to what was found for the entity. An entity without rows can be absent from the map. Rejects with
   * the error of the column store's query.
   */
  find(entities: readonly EntityIdentity[]): Promise<ReadonlyMap<string, Older>>
}

export const nothingOlder: Older = { row: null, root: null }

const lengthOf = (texts: object): number =>
  Object.values(texts).reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)

export const bytesOfOlder = ({ row }: Older): number =>
  row === null ? 0 : lengthOf(row.texts) + lengthOf(row.metadata) + (row.tags === undefined ? 0 : lengthOf(row.tags))

/** Finds nothing. Used in an installation whose column store never had older rows. */
export const noOlderRows: OlderRows = { find: async () => new Map() }
