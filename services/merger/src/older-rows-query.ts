// Queries the column store for older rows: the rows of entities that the merger's state does not have.

import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EntityIdentity } from '@svc-server/entities/codec'
import type { OlderRow } from '@svc-server/entities/older-row'
import { AppError, isAppError } from '@svc-server/errors'
import { maxNameLength } from '@svc-server/json'
import { entityKey } from '@svc-server/schema/ingestion-event'
import type { Older, OlderRows } from './older-rows.ts'

/** Entities per query. */
const perQuery = 200
/** Maximum bytes of ids in a query's text. This is half of the server's default limit for a query. */
const maxNamesBytes = 100_000

interface Found {
  readonly project_id: string
  readonly id: string
  readonly start_ms: string
  readonly version_ms: string
  readonly created_ms: string
  readonly environment: string
  readonly metadata: Readonly<Record<string, string>>
  readonly [column: string]: unknown
}

const pairs = (entities: readonly EntityIdentity[]) =>
  entities.map(({ projectId, entityId }) => `(${literal(projectId)}, ${literal(entityId)})`).join(', ')
const ms = (column: string, name: string) => `toUnixTimestamp64Milli(${column}) AS ${name}`
const optionalMs = (column: string, name: string) =>
  `if(isNull(${column}), NULL, toString(toUnixTimestamp64Milli(assumeNotNull(${column})))) AS ${name}`
/**
 * Leaves out long names of metadata, because they would slow down the merger (`hasLongName`). Such names come only from spans, and the
 * spans' own rows still contain these names.
 */
const shortNames = `mapFilter((name, value) -> lengthUTF8(name) <= ${maxNameLength}, metadata)`
const amounts = (column: string) => `mapApply((k, v) -> (toString(k), toString(v)), ${column}) AS ${column}`

/**
 * Selects one row for each entity. For each key of an entity, the query finds the newest version, and ignores the key if this version is a
 * tombstone. Of the remaining keys, the key with the newest row determines the result.
 */
const newestOf = (table: string, start: string, place: string, columns: readonly string[], entities: readonly EntityIdentity[]) =>
  `SELECT * EXCEPT (is_deleted, place) FROM (
  SELECT project_id, id, is_deleted, ${place} AS place, ${ms(start, 'start_ms')}, ${ms('event_ts', 'version_ms')}, ${ms('created_at', 'created_ms')}, environment, ${shortNames} AS metadata, ${columns.join(', ')}
  FROM ${table} WHERE (project_id, id) IN (${pairs(entities)})
  ORDER BY version_ms DESC, is_deleted DESC LIMIT 1 BY project_id, id, place
) WHERE is_deleted = 0 ORDER BY version_ms DESC LIMIT 1 BY project_id, id`

const traceColumns = [
  'name',
  'user_id',
  'session_id',
  'release',
  'version',
  'toString(public) AS public',
  'toString(bookmarked) AS bookmarked',
  'input',
  'output',
  'tags',
]

const observationColumns = [
  'name',
  'type',
  'trace_id',
  'level',
  'status_message',
  'version',
  'parent_observation_id',
  'provided_model_name',
  'model_parameters',
  'prompt_name',
  'prompt_version',
  'input',
  'output',
  optionalMs('end_time', 'end_ms'),
  optionalMs('completion_start_time', 'completion_ms'),
  amounts('provided_usage_details'),
  amounts('provided_cost_details'),
]

const shared = ({ start_ms, version_ms, created_ms, environment, metadata }: Found) => ({
  startMs: Number(start_ms),
  versionMs: Number(version_ms),
  createdMs: Number(created_ms),
  environment,
  metadata,
})

const textAt = (found: Found, column: string): string | null => {
  const value = found[column]
  return typeof value === 'string' ? value : null
}
/** The column contains false even if no event has set the flag, so only true counts as set. */
const flagAt = (found: Found, column: string): string | null => (found[column] === 'true' ? 'true' : null)

const traceRow = (found: Found): OlderRow => ({
  ...shared(found),
  texts: {
    name: textAt(found, 'name'),
    userId: textAt(found, 'user_id'),
    sessionId: textAt(found, 'session_id'),
    release: textAt(found, 'release'),
    version: textAt(found, 'version'),
    public: flagAt(found, 'public'),
    bookmarked: flagAt(found, 'bookmarked'),
    input: textAt(found, 'input'),
    output: textAt(found, 'output'),
  },
  tags: found['tags'] as readonly string[],
})

function observationRow(found: Found): OlderRow {
  const promptName = textAt(found, 'prompt_name')
  const promptVersion = found['prompt_version']
  return {
    ...shared(found),
    texts: {
      name: textAt(found, 'name'),
      type: textAt(found, 'type'),
      traceId: textAt(found, 'trace_id'),
      level: textAt(found, 'level'),
      statusMessage: textAt(found, 'status_message'),
      version: textAt(found, 'version'),
      parentId: textAt(found, 'parent_observation_id'),
      model: textAt(found, 'provided_model_name'),
      modelParameters: textAt(found, 'model_parameters'),
      prompt: promptName === null || promptVersion == null ? null : JSON.stringify([promptName, Number(promptVersion)]),
      input: textAt(found, 'input'),
      output: textAt(found, 'output'),
      endMs: textAt(found, 'end_ms'),
      completionStartMs: textAt(found, 'completion_ms'),
    },
    usage: found['provided_usage_details'] as Readonly<Record<string, string>>,
    cost: found['provided_cost_details'] as Readonly<Record<string, string>>,
  }
}

interface FoundRoot {
  readonly project_id: string
  readonly trace_id: string
  readonly root: readonly [startUs: string, spanId: string]
}

const rootsOf = (entities: readonly EntityIdentity[]) =>
  `SELECT project_id, trace_id, min((toUnixTimestamp64Micro(start_time), span_id)) AS root FROM (
  SELECT project_id, trace_id, span_id, start_time, parent_span_id, is_deleted FROM events_core
  WHERE (project_id, trace_id) IN (${pairs(entities)}) AND NOT startsWith(span_id, 't-')
  ORDER BY event_ts DESC, is_deleted DESC LIMIT 1 BY project_id, trace_id, span_id, start_time
) WHERE is_deleted = 0 AND parent_span_id = '' GROUP BY project_id, trace_id`

/** Splits the entities into groups. Each group becomes one query. */
function cutByText(entities: readonly EntityIdentity[]): readonly EntityIdentity[][] {
  const runs: EntityIdentity[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const entity of entities) {
    const size = Buffer.byteLength(pairs([entity]))
    if (bytes + size > maxNamesBytes || runs.at(-1)!.length === perQuery) {
      runs.push([])
      bytes = 0
    }
    runs.at(-1)!.push(entity)
    bytes += size
  }
  return runs
}

/** ClickHouse's error code for a missing table. A table is missing until its migration has run. */
const absentTable = 60

function notThereYet(error: unknown): never {
  if (!isAppError(error) || error.params['clickHouseCode'] !== absentTable) throw error
  throw new AppError('column_store_unavailable', `The tables do not exist yet. ${error.message}`, {}, { cause: error })
}

export function createOlderRows(store: Pick<ColumnStore, 'query'>): OlderRows {
  async function findSome(entities: readonly EntityIdentity[], into: Map<string, Older>): Promise<void> {
    const [traces, observations] = [
      entities.filter(each => each.entityType === 'trace'),
      entities.filter(each => each.entityType === 'observation'),
    ]
    const [traceRows, roots, observationRows] = await Promise.all([
      traces.length === 0 ? [] : store.query<Found>(newestOf('traces', 'timestamp', 'toDate(timestamp)', traceColumns, traces)),
      traces.length === 0 ? [] : store.query<FoundRoot>(rootsOf(traces)),
      observations.length === 0
        ? []
        : store.query<Found>(newestOf('observations', 'start_time', '(type, toDate(start_time))', observationColumns, observations)),
    ]).catch(notThereYet)
    for (const found of traceRows) into.set(keyOf('trace', found.project_id, found.id), { row: traceRow(found), root: null })
    for (const found of observationRows)
      into.set(keyOf('observation', found.project_id, found.id), { row: observationRow(found), root: null })
    for (const { project_id, trace_id, root } of roots) {
      const key = keyOf('trace', project_id, trace_id)
      into.set(key, { row: into.get(key)?.row ?? null, root: { startUs: Number(root[0]), spanId: root[1] } })
    }
  }

  return {
    async find(entities) {
      const found = new Map<string, Older>()
      for (const some of cutByText(entities)) await findSome(some, found)
      return found
    },
  }
}

const keyOf = (entityType: EntityIdentity['entityType'], projectId: string, entityId: string) =>
  entityKey({ projectId, entityType, entityId })
