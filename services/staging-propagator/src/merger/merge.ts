// The events of a chunk, merged into what is known of their entities: what is published of each, and what it says to its trace. Pure; what is known is given.
import { type EntityIdentity, entityOfRecord, type MergedEntity, recordOf } from '@svc-server/entities/codec'
import { publishedAs } from '@svc-server/entities/merged'
import { mergedOfRow } from '@svc-server/entities/older-row'
import { isStaged, stagedTraceId } from '@svc-server/entities/staged'
import { type EntityState, joinStates, nothingSaid } from '@svc-server/entities/state'
import { partsOfTraces } from '@svc-server/entities/trace-part'
import type { NewRecord } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeEntity, encodeEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import type { Rejection } from '@svc-server/stream/chunk'
import { type Incoming, rejectionOf } from './incoming.ts'
import type { Older } from './older-rows.ts'

/** What a chunk says about one entity, in the order of the log. */
export interface Said {
  readonly identity: EntityIdentity
  readonly key: string
  readonly incoming: readonly Incoming[]
}

/** Before the chunk. */
export interface Known {
  readonly merged: MergedEntity | null
  /** Of what was published last. */
  readonly writeMode: WriteMode | null
}

export interface Publication {
  /** Null: nothing new was said. */
  readonly entity: NewRecord | null
  readonly staged: NewRecord | null
  /** For its traces. */
  readonly parts: readonly NewRecord[]
  readonly rejected: readonly Rejection[]
}

export interface MergeOptions {
  readonly partition: number
  /** Bytes that the record of an entity may have. */
  readonly maxEntityBytes: number
}

export function groupByEntity(incoming: readonly Incoming[]): readonly Said[] {
  const groups = Map.groupBy(incoming, ({ key }) => key)
  return [...groups].map(([key, all]) => {
    const { projectId, entityType, entityId } = all[0]!
    return { identity: { projectId, entityType, entityId }, key, incoming: all }
  })
}

/** `record`: of the state. Throws UndecodableRecord. */
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

const nothing: Publication = { entity: null, staged: null, parts: [], rejected: [] }

export function merge(said: Said, known: Known, options: MergeOptions): Publication {
  const all = publish(said, known, said.incoming, options)
  if (all !== null) return all
  // Too large as a whole: as many of its events as there is room for, and the others are put aside.
  const taken: Incoming[] = []
  const rejected: Rejection[] = []
  let last = nothing
  for (const each of said.incoming) {
    const next = publish(said, known, [...taken, each], options)
    if (next === null) {
      const message = `With this event the entity has more than ${options.maxEntityBytes} bytes.`
      rejected.push(rejectionOf(each.record, 'too_large', message, said.identity.projectId))
    } else {
      taken.push(each)
      last = next
    }
  }
  return { ...last, rejected }
}

/** Null: too large. */
function publish(
  { identity, key }: Said,
  known: Known,
  incoming: readonly Incoming[],
  { partition, maxEntityBytes }: MergeOptions,
): Publication | null {
  const before = known.merged
  const state = incoming.reduce((joined, each) => joinStates(joined, each.state), before?.state ?? nothingSaid)
  const isDual = incoming.some(({ writeMode }) => writeMode === 'dual')
  // What was said already is not said again, unless tables are to be written that have not had it.
  if (state === before?.state && !(isDual && known.writeMode !== 'dual')) return nothing
  const appendMs = incoming.reduce((latest, { record }) => Math.max(latest, record.timestampMs), 0)
  const published = publishedAs(identity, before, state, appendMs)
  const record = recordOf(identity, isDual ? 'dual' : 'legacy', published)
  const value = encodeEntity(record)
  if (value.byteLength > maxEntityBytes) return null
  const parts = partsOfTraces(identity, before, published, { dual: isDual, wasDual: known.writeMode === 'dual' })
  return {
    entity: { key: Buffer.from(key), value, partition },
    staged:
      isDual && isStaged(identity, state) ? { key: Buffer.from(`${identity.projectId}/${stagedTraceId(identity, state)}`), value } : null,
    parts: parts.map(part => ({ key: Buffer.from(entityKey(part)), value: encodeEntity(part) })),
    rejected: [],
  }
}
