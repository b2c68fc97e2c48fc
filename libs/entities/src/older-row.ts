// Reads a row of an old table as one event whose time is the row's version (contract §14.4). This is done for rows that were stored before
// the merger's state contained their entity.
import { isJsonObject, type JsonObject, parseJson } from '@svc-server/observations/json-text'
import type { EntityIdentity, MergedEntity } from './codec.ts'
import type { FieldName } from './state.ts'
import { Statement } from './statement.ts'

/**
 * Columns of `traces` and `observations` that the reader selects. Times are in milliseconds, maps are objects of
 * texts.
 */
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

/** Treats the row as published: its key is retired if the merged entity gets another key. */
export function mergedOfRow({ entityType }: Pick<EntityIdentity, 'entityType'>, row: OlderRow): MergedEntity {
  const said = new Statement({ atUs: row.versionMs * 1000, update: false, id: '', hash: 'row' })
  // A value missing in the row was never set.
  for (const [name, value] of Object.entries(row.texts)) said.say(name as FieldName, value === null || value === '' ? undefined : value)
  if (row.environment !== 'default') said.say('environment', row.environment)
  said.say(entityType === 'trace' ? 'timestampMs' : 'startMs', String(row.startMs))
  said.metadata(opened(row.metadata))
  said.tags(row.tags)
  said.say('usage', amounts(row.usage))
  said.say('cost', amounts(row.cost))
  // `resourceAttributes` is in the metadata of every row that was converted from an OpenTelemetry span.
  const legacy = !Object.hasOwn(row.metadata, 'resourceAttributes')
  const state = { ...said.state({ createdMs: row.createdMs, legacy }), firstMs: row.startMs }
  return { state, versionMs: row.versionMs, retired: [] }
}

/** Objects were written as JSON: their members merge with new ones. */
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
