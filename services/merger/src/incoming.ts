// Turns records of the merger's topics into changes to entities.
import { entityOfRecord } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import type { EntityState } from '@svc-server/entities/state'
import { UnreadableEvent } from '@svc-server/entities/unreadable-event'
import type { LogRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { EnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity } from '@svc-server/schema/entity'
import { decodeIngestionEvent, type EntityType, entityKey } from '@svc-server/schema/ingestion-event'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import type { Rejection } from '@svc-server/stream/chunk'

export interface Incoming {
  readonly projectId: string
  readonly entityType: EntityType
  readonly entityId: string
  readonly key: string
  readonly state: EntityState
  readonly writeMode: WriteMode
  readonly record: LogRecord
}

export type Read = { readonly ok: true; readonly incoming: Incoming } | { readonly ok: false; readonly rejection: Rejection }

/** `writeMode` is the mode of this process. This mode is used for records that have no write mode. */
export function readRecord(record: LogRecord, writeMode: WriteMode, environments: EnvironmentNames): Read {
  let projectId: string | null = null
  try {
    const value = record.value ?? new Uint8Array(0)
    if (record.topic === topicNames.traceParts) {
      const part = decodeEntity(value)
      projectId = part.projectId
      return read(part, part.writeMode ?? writeMode, entityOfRecord(part).state, record)
    }
    const event = decodeIngestionEvent(value)
    projectId = event.projectId
    return read(event, event.writeMode ?? writeMode, stateOfEvent(event, environments), record)
  } catch (error) {
    if (error instanceof UndecodableRecord)
      return { ok: false, rejection: rejectionOf(record, 'record_undecodable', error.message, projectId) }
    if (error instanceof UnreadableEvent) return { ok: false, rejection: rejectionOf(record, 'malformed', error.message, projectId) }
    return { ok: false, rejection: rejectionOf(record, 'exception', textOfDefect(error), projectId) }
  }
}

function read(
  { projectId, entityType, entityId }: Parameters<typeof entityKey>[0],
  writeMode: WriteMode,
  state: EntityState,
  record: LogRecord,
): Read {
  const identity = { projectId, entityType, entityId }
  return { ok: true, incoming: { ...identity, key: entityKey(identity), state, writeMode, record } }
}

/**
 * Returns the text of an error that a defect in svc's code has caused. The process must not end because of this error: after a restart, the
 * process would read the same record and fail again.
 */
export const textOfDefect = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))

export const rejectionOf = (
  { offset, value, timestampMs }: LogRecord,
  reason: Rejection['reason'],
  message: string,
  owner: string | null,
): Rejection => ({ offset, index: null, stage: 'merger', reason, message, owner, raw: value ?? new Uint8Array(0), timestampMs })
