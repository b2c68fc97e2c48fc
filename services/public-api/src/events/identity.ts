// Ids for entities that arrive without one. They derive from the event's own id, so that a client that sends a batch again (old ones do so
// three or four times after one event was refused) names the same entity.
import { createHash } from 'node:crypto'
import type { Acceptance } from './acceptance.ts'

export function derivedId({ projectId }: Pick<Acceptance, 'projectId'>, entityType: string, eventId: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([projectId, entityType, eventId]))
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
