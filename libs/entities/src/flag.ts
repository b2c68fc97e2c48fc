// Turns a flag that a user has set on a trace into a part of the trace's state. If commands and events set the same flag, the value that
// comes last in the order of `order.ts` wins. The time of a command in this order is the time at which the command was accepted.
import type { Command } from '@svc-server/schema/command'
import type { EntityRecord } from '@svc-server/schema/entity'
import { recordOf } from './codec.ts'
import { type FieldName, nothingSaid } from './state.ts'

const flags: Partial<Readonly<Record<Command['kind'], FieldName>>> = { set_bookmarked: 'bookmarked', set_public: 'public' }

/**
 * Returns null if the command sets no flag. In all write modes, v3's table of traces gets the flag (contract §12.2). The events tables also
 * contain rows of spans. These rows do not come from merged entities, so the events-writer sets their flag with a separate update.
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
