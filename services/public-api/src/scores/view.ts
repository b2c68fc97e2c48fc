// A stored score as clients see it (public-api-data.md §1.1).
import { parseStoredJson } from '@svc-server/json'
import type { ScoreQuery } from '../schemas/score-query.ts'
import type { ScoreRow } from './read.ts'

type Groups = NonNullable<ScoreQuery['fields']>

const iso = (ms: string) => new Date(Number(ms)).toISOString()

/** `core` is always there. */
function scoreView(row: ScoreRow, projectId: string, groups: Groups): object {
  return {
    id: row.id,
    projectId,
    name: row.name,
    value: typedValue(row),
    dataType: row.data_type,
    source: row.source,
    timestamp: iso(row.timestamp_ms),
    environment: row.environment,
    createdAt: iso(row.created_ms),
    updatedAt: iso(row.updated_ms),
    ...(groups.includes('details') && { comment: row.comment ?? null, configId: row.config_id ?? null, metadata: metadataOf(row) }),
    ...(groups.includes('annotation') && { authorUserId: row.author_user_id ?? null, queueId: row.queue_id ?? null }),
    ...(groups.includes('subject') && { subject: subjectOf(row) }),
  }
}

function typedValue({ data_type, value, string_value, long_string_value }: ScoreRow): number | boolean | string {
  if (data_type === 'NUMERIC') return value
  if (data_type === 'BOOLEAN') return value === 1
  return data_type === 'CORRECTION' ? long_string_value : (string_value ?? '')
}

/** The first that is there decides. */
function subjectOf({ dataset_run_id, observation_id, session_id, trace_id }: ScoreRow): object | null {
  if (dataset_run_id) return { kind: 'experiment', id: dataset_run_id }
  if (observation_id) return { kind: 'observation', id: observation_id, ...(trace_id && { traceId: trace_id }) }
  if (session_id) return { kind: 'session', id: session_id }
  return trace_id ? { kind: 'trace', id: trace_id } : null
}

/** Values are stored as text; what is JSON comes back as it was. */
function metadataOf({ metadata = '{}' }: ScoreRow): object {
  const entries = Object.entries(parsed(metadata) as Readonly<Record<string, string>>)
  return Object.fromEntries(entries.map(([key, text]) => [key, parsed(text)]))
}

function parsed(text: string): unknown {
  try {
    return parseStoredJson(text)
  } catch {
    return text
  }
}

export interface PageJob {
  readonly kind: 'page'
  readonly rows: readonly ScoreRow[]
  readonly projectId: string
  readonly groups: Groups
  readonly meta: { readonly limit: number; readonly cursor?: string }
}

/** Of what may be long in it. */
export const bytesOfPage = ({ rows }: PageJob): number =>
  rows.reduce(
    (sum, row) =>
      sum + row.long_string_value.length + [row.string_value, row.comment, row.metadata].reduce((of, text) => of + (text?.length ?? 0), 0),
    0,
  )

/** The answer's JSON. */
export const pageText = ({ rows, projectId, groups, meta }: PageJob): string =>
  JSON.stringify({ data: rows.map(row => scoreView(row, projectId, groups)), meta })
