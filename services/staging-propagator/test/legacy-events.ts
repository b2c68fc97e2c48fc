// Makes events of the legacy API in the format that the public API writes.
import type { NewRecord } from '@svc-server/log'
import { encodeIngestionEvent, entityKey, type IngestionEvent } from '@svc-server/schema/ingestion-event'
import { hexOf } from './staged.ts'

interface EventFields extends Pick<IngestionEvent, 'projectId' | 'entityType' | 'entityId' | 'eventType' | 'eventId'> {
  readonly atMs: number
  readonly body: object
}

export function ingestionRecord({ atMs, body, ...fields }: EventFields): { readonly record: NewRecord } {
  const event: IngestionEvent = {
    ...fields,
    ...{ apiKey: 'pk', sdkName: 'python', sdkVersion: '2.60.0', writeMode: null, receivedAtMs: atMs + 100, ingestId: fields.eventId },
    ...{ timestampUs: atMs * 1000, body: Buffer.from(JSON.stringify(body)) },
  }
  return { record: { key: Buffer.from(entityKey(event)), value: encodeIngestionEvent(event) } }
}

export const traceIdOf = (number: number): string => hexOf(number, 32)
