// If an event contains no id for its entity, the entity's id is derived from the event's id. A retried batch therefore creates the same
// entities.
import { createHash } from 'node:crypto'
import type { Acceptance } from './acceptance.ts'

export function derivedId({ projectId }: Pick<Acceptance, 'projectId'>, entityType: string, eventId: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([projectId, entityType, eventId]))
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
