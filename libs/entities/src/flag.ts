// A flag of a trace that somebody has set, as a part of the trace: what was said last stands, whoever said it.
import type { Command } from '@svc-server/schema/command'
import type { EntityRecord } from '@svc-server/schema/entity'
import { recordOf } from './codec.ts'
import { type FieldName, nothingSaid } from './state.ts'

const flags: Partial<Readonly<Record<Command['kind'], FieldName>>> = { set_bookmarked: 'bookmarked', set_public: 'public' }

/**
 * Null: the command sets none. It makes no row of a trace that nothing else is known of. The old table has it in every mode (contract §12.2); the
 * events tables, where they are not written by what is merged, change by themselves.
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
