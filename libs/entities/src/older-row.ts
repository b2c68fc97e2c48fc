// Converts a row of a v3 table to one event. The time of the event is the version of the row (contract §14.4). The merger uses this event
// for an entity that has no state yet.
import { isJsonObject, type JsonObject, parseJson } from '@svc-server/observations/json-text'
import type { EntityIdentity, MergedEntity } from './codec.ts'
import type { FieldName } from './state.ts'
import { Statement } from './statement.ts'

/** Times are in milliseconds. Maps are objects whose values are texts. */
export interface OlderRow {
  readonly startMs: number
  readonly versionMs: number
  readonly createdMs: number
  readonly environment: string
  readonly texts: Readonly<Partial<Record<FieldName, string | null>>>
  readonly metadata: Readonly<Record<string, string>>
  readonly tags?: readonly string[]
  readonly usage?: Readonly<Record<string, string>>
  readonly cost?: Readonly<Record<string, string>>
}

/**
 * Returns the entity as if this row were the entity's last publication. If an event later changes the entity's key, the key of this row
 * gets a tombstone.
 */
export function mergedOfRow({ entityType }: Pick<EntityIdentity, 'entityType'>, row: OlderRow): MergedEntity {
  const said = new Statement({ atUs: row.versionMs * 1000, update: false, id: '', hash: 'row' })
  // If a value is missing in the row, the field counts as never set, not as removed.
  for (const [name, value] of Object.entries(row.texts)) said.say(name as FieldName, value === null || value === '' ? undefined : value)
  if (row.environment !== 'default') said.say('environment', row.environment)
  said.say(entityType === 'trace' ? 'timestampMs' : 'startMs', String(row.startMs))
  said.metadata(opened(row.metadata))
  said.tags(row.tags)
  said.say('usage', amounts(row.usage))
  said.say('cost', amounts(row.cost))
  // Rows of OpenTelemetry spans always have `resourceAttributes`.
  const legacy = !Object.hasOwn(row.metadata, 'resourceAttributes')
  const state = { ...said.state({ createdMs: row.createdMs, legacy }), firstMs: row.startMs }
  return { state, versionMs: row.versionMs, retired: [] }
}

/** A row stores a nested object as JSON text. The text is parsed, so that the object's members merge with the members of later events. */
const opened = (metadata: OlderRow['metadata']): JsonObject =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, text]) => {
      const parsed = text.startsWith('{') ? parseJson(text) : undefined
      return [name, isJsonObject(parsed) ? parsed : text]
    }),
  )

function amounts(map: Readonly<Record<string, string>> | undefined): string | undefined {
  const pairs = Object.entries(map ?? {})
  return pairs.length === 0 ? undefined : JSON.stringify(pairs.sort(([a], [b]) => (a < b ? -1 : 1)))
}
