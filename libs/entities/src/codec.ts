// Converts an entity to its record and back. The record contains the `EventOrder` of an event only once, even if several fields have their
// values from this event.
import type { EntityKey, EntityRecord } from '@svc-server/schema/entity'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { leavesOf, treeOf } from './metadata.ts'
import type { EventOrder } from './order.ts'
import { type EntityState, type FieldName, fieldNames, type SaidField } from './state.ts'

type StateFields = Pick<
  EntityRecord,
  'sources' | 'fields' | 'leaves' | 'tags' | 'firstMs' | 'createdMs' | 'legacy' | 'legacyChild' | 'root'
>

/** Equal states have equal fields. */
export function fieldsOfState(state: EntityState): StateFields {
  const sources: EventOrder[] = []
  const places = new Map<string, number>()
  const placeOf = (by: EventOrder): number => {
    const key = `${by.atUs} ${by.update} ${by.hash} ${by.id}`
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, sources.length)
    return sources.push(by) - 1
  }
  const fields = fieldNames.flatMap(name => {
    const said = state.fields.get(name)
    return said === undefined ? [] : [{ name, source: placeOf(said.by), value: said.value }]
  })
  const leaves = leavesOf(state.metadata).map(({ path, value, by }) => ({ path, source: placeOf(by), value }))
  const { tags, firstMs, createdMs, legacy, legacyChild, root } = state
  return { sources, fields, leaves, tags, firstMs, createdMs, legacy, legacyChild, root }
}

const known: ReadonlySet<string> = new Set(fieldNames)

/**
 * Maximum depth of the metadata tree. The depth is limited because recursive functions walk the tree. This code never writes a deeper tree.
 */
const maxPathLength = 64
const tooDeep = `The record is damaged: its metadata is nested deeper than ${maxPathLength} members.`

/** Ignores unknown fields of newer versions. Throws UndecodableRecord. */
function stateOfRecord(record: StateFields): EntityState {
  const { sources, tags, firstMs, createdMs, legacy, legacyChild, root } = record
  const sourceAt = (place: number): EventOrder => {
    const by = sources[place]
    if (by === undefined) throw new UndecodableRecord('malformed', `The record is damaged: it has no source ${place}.`)
    return by
  }
  const fields = new Map<FieldName, SaidField>()
  for (const { name, source, value } of record.fields) {
    if (known.has(name)) fields.set(name as FieldName, { value, by: sourceAt(source) })
  }
  for (const { path } of record.leaves) if (path.length > maxPathLength) throw new UndecodableRecord('malformed', tooDeep)
  const metadata = treeOf(record.leaves.map(({ path, source, value }) => ({ path, value, by: sourceAt(source) })))
  return { fields, metadata, tags, firstMs, createdMs, legacy, legacyChild, root }
}

export type EntityIdentity = Pick<EntityRecord, 'projectId' | 'entityType' | 'entityId'>

export interface MergedEntity {
  readonly state: EntityState
  readonly versionMs: number
  readonly retired: readonly EntityKey[]
}

/** Reads the record of an entity from the topic `entities`, `spans.staging` or `spans.filled`. Throws UndecodableRecord. */
export function entityOfRecord(record: EntityRecord): PublishedEntity {
  const { projectId, entityType, entityId, versionMs, retired, traceAttributes, rootSpanId, staged, runItem } = record
  const fill = {
    traceAttributes: traceAttributes ?? null,
    rootSpanId: rootSpanId ?? null,
    staged: staged ?? null,
    runItem: runItem ?? null,
  }
  return { projectId, entityType, entityId, state: stateOfRecord(record), versionMs, retired, fill }
}

export interface PublishedEntity extends EntityIdentity, MergedEntity {
  /** Present if the propagator has filled the staged entity. */
  readonly fill?: Pick<EntityRecord, 'traceAttributes' | 'rootSpanId' | 'staged' | 'runItem'>
}

export const recordOf = (
  identity: EntityIdentity,
  writeMode: EntityRecord['writeMode'],
  { state, versionMs, retired }: MergedEntity,
): EntityRecord => ({ ...identity, writeMode: writeMode ?? null, versionMs, retired, ...fieldsOfState(state) })
