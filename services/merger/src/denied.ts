// After a deletion, the merger publishes a record without content for each deleted entity.
import { createDenials, type Denials, type Denied } from '@svc-server/deletions/denials'
import { deniedIn } from '@svc-server/deletions/read-denials'
import { type EntityIdentity, entityOfRecord, recordOf } from '@svc-server/entities/codec'
import type { EntityState } from '@svc-server/entities/state'
import { ownTraceIdOf, withdrawn } from '@svc-server/entities/withdrawn'
import type { LogRecord, NewRecord } from '@svc-server/log'
import { isCommand } from '@svc-server/schema/command'
import { decodeEntity, decodeEntityHead, encodeEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import type { Known } from './known.ts'

export interface MergerDenials extends Denials {
  learn(denied: Denied): void
}

export function createMergerDenials(list: Denials): MergerDenials {
  const learned = createDenials()
  return {
    concerns: projectId => list.concerns(projectId) || learned.concerns(projectId),
    denies: (projectId, traceId) => list.denies(projectId, traceId) || learned.denies(projectId, traceId),
    learn: learned.add,
  }
}

export const isDenied = (identity: EntityIdentity, state: EntityState, denials: Denials): boolean =>
  denials.concerns(identity.projectId) && denials.denies(identity.projectId, ownTraceIdOf(identity, state))

export function withdrawalOf(
  identity: EntityIdentity,
  { merged, writeMode }: Known,
  state: EntityState,
  partition: number,
): NewRecord | null {
  const left = withdrawn(identity, merged, state)
  if (left === null) return null
  return { key: Buffer.from(entityKey(identity)), value: encodeEntity(recordOf(identity, writeMode, left)), partition }
}

/** Returns a record that withdraws a deleted entity. Returns null if the entity is not deleted. Throws UndecodableRecord. */
export function withdrawalOfStored(record: Uint8Array, denials: Denials, partition: number): NewRecord | null {
  const { projectId } = decodeEntityHead(record)
  if (!denials.concerns(projectId)) return null
  const decoded = decodeEntity(record)
  const entity = entityOfRecord(decoded)
  if (!isDenied(entity, entity.state, denials)) return null
  const { entityType, entityId } = entity
  return withdrawalOf(
    { projectId, entityType, entityId },
    { merged: entity, writeMode: decoded.writeMode ?? null },
    entity.state,
    partition,
  )
}

/** Returns the deletions among the records. Skips undecodable commands, because the deny list counts and logs them. */
export const deletionsIn = (records: readonly LogRecord[]): readonly (Denied & { readonly record: LogRecord })[] =>
  records.flatMap(record => {
    if (record.value === null || !isCommand(record.value)) return []
    const denied = deniedIn(record)
    return denied === null ? [] : [{ ...denied, record }]
  })
