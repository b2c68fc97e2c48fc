// Decodes what is known of an entity. The merger then merges the events of a chunk into the entity. The source of the known values is the
// merger's local state, or the old tables.
import { type EntityIdentity, entityOfRecord, type MergedEntity } from '@svc-server/entities/codec'
import { mergedOfRow } from '@svc-server/entities/older-row'
import { type EntityState, nothingSaid } from '@svc-server/entities/state'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeEntity } from '@svc-server/schema/entity'
import type { Older } from './older-rows.ts'

export interface Known {
  readonly merged: MergedEntity | null
  /** Write mode of the entity's last publication. */
  readonly writeMode: WriteMode | null
}

/** Throws UndecodableRecord. */
export function knownOfRecord(record: Uint8Array): Known {
  const decoded = decodeEntity(record)
  return { merged: entityOfRecord(decoded), writeMode: decoded.writeMode ?? null }
}

export function knownOfOlder(identity: EntityIdentity, { row, root }: Older): Known {
  const merged = row === null ? null : mergedOfRow(identity, row)
  if (root === null) return { merged, writeMode: null }
  const state: EntityState = { ...(merged?.state ?? nothingSaid), root }
  return { merged: { versionMs: 0, retired: [], ...merged, state }, writeMode: null }
}
