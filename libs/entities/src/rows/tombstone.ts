// Makes tombstones: rows that mark a key as deleted. Tombstones have no values, because queries never return tombstones. Values would also
// take space. An entity can have up to 64 tombstones, one for each former key. A tombstone with values could be as large as the entity's
// row.
import type { EntityKey } from '@svc-server/schema/entity'
import type { PublishedEntity } from '../codec.ts'
import { createdMsOf } from '../merged.ts'
import { eventTimes, source } from './event-columns.ts'
import { type EventRow, noTools, noUsage, type ObservationRow, type TraceRow } from './tables.ts'

const defaultEnvironment = 'default'
const defaultLevel = 'DEFAULT'

const oldTimes = ({ state, versionMs }: PublishedEntity) => ({
  created_at: createdMsOf(state) ?? versionMs,
  updated_at: versionMs,
  event_ts: versionMs,
})

export const traceTombstone = (entity: PublishedEntity, timestamp: number): TraceRow => ({
  id: entity.entityId,
  project_id: entity.projectId,
  name: '',
  environment: defaultEnvironment,
  timestamp,
  user_id: null,
  session_id: null,
  release: null,
  version: null,
  metadata: [],
  public: 0,
  bookmarked: 0,
  tags: [],
  input: null,
  output: null,
  ...oldTimes(entity),
  is_deleted: 1,
})

export const observationTombstone = (entity: PublishedEntity, { startMs, type, traceId }: EntityKey): ObservationRow => ({
  id: entity.entityId,
  trace_id: traceId,
  project_id: entity.projectId,
  name: '',
  type,
  level: defaultLevel,
  environment: defaultEnvironment,
  parent_observation_id: null,
  status_message: null,
  version: null,
  provided_model_name: null,
  internal_model_id: null,
  model_parameters: null,
  prompt_id: null,
  prompt_name: null,
  prompt_version: null,
  start_time: startMs,
  end_time: null,
  completion_start_time: null,
  metadata: [],
  input: null,
  output: null,
  ...noUsage,
  total_cost: null,
  ...noTools,
  ...oldTimes(entity),
  is_deleted: 1,
})

export type EventKey = Pick<EventRow, 'trace_id' | 'span_id' | 'start_time' | 'type'>

export const eventTombstone = (entity: PublishedEntity, key: EventKey): EventRow => ({
  project_id: entity.projectId,
  ...key,
  parent_span_id: '',
  end_time: null,
  name: '',
  environment: defaultEnvironment,
  version: '',
  release: '',
  trace_name: '',
  user_id: '',
  session_id: '',
  tags: [],
  level: defaultLevel,
  status_message: '',
  completion_start_time: null,
  bookmarked: 0,
  public: 0,
  prompt_id: '',
  prompt_name: '',
  prompt_version: null,
  model_id: '',
  provided_model_name: '',
  model_parameters: '{}',
  ...noUsage,
  ...noTools,
  input: '',
  output: '',
  metadata_names: [],
  metadata_values: [],
  metadata_types: [],
  source,
  ingestion_api_key: '',
  ingestion_sdk_name: 'unknown',
  ingestion_sdk_version: 'unknown',
  ...eventTimes(entity),
  is_deleted: 1,
})
