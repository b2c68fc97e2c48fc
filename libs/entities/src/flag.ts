// Turns a flag that a user has set on a trace into a part of the trace's state. If commands and events set the same flag, the last value
// wins.
import type { Command } from '@svc-server/schema/command'
import type { EntityRecord } from '@svc-server/schema/entity'
import { recordOf } from './codec.ts'
import { type FieldName, nothingSaid } from './state.ts'

const flags: Partial<Readonly<Record<Command['kind'], FieldName>>> = { set_bookmarked: 'bookmarked', set_public: 'public' }

/**
 * Returns null if the command sets no flag. The v3 table has the flag in all write modes (contract §12.2). In the events tables, the rows
 * of spans do not come from merged entities, so the events-writer sets the flag with a separate update.
 */
export function flagPart(
  { kind, projectId, traceId, value, acceptedAtMs }: Command,
  writeMode: NonNullable<EntityRecord['writeMode']>,
): EntityRecord | null {
  const name = flags[kind]
  if (name === undefined || traceId === null || value === null) return null
  const by = { atUs: acceptedAtMs * 1000, update: true, id: kind, hash: '' }
  const state = { ...nothingSaid, fields: new Map([[name, { value: String(value), by }]]) }
  const identity = { projectId, entityType: 'trace', entityId: traceId } as const
  return recordOf(identity, writeMode === 'events_only' ? 'legacy' : writeMode, { state, versionMs: 0, retired: [] })
}
