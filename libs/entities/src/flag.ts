// Turns a flag that a user has set on a trace into a part of the trace. The last value wins, whether it comes from a user's command or from
// an event.
import type { Command } from '@svc-server/schema/command'
import type { EntityRecord } from '@svc-server/schema/entity'
import { recordOf } from './codec.ts'
import { type FieldName, nothingSaid } from './state.ts'

const flags: Partial<Readonly<Record<Command['kind'], FieldName>>> = { set_bookmarked: 'bookmarked', set_public: 'public' }

/**
 * Returns null when the command sets no flag. If only a flag is known about a trace, the trace has no row. The old table contains the flag
 * in every mode (contract §12.2). In modes where merged entities are not written to the events tables, a separate update changes the flag
 * in those tables.
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
