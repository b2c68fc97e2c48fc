// A stored score as clients receive it (contract §17.1).
import { parseStoredJson } from '@svc-server/json'
import { isoOfMillis } from '../times.ts'
import type { ScoreRow } from './read.ts'
import type { ScoreGroup } from './table.ts'

/** Returns a score with the fields of the group `core` and of the given groups. */
export function scoreView(row: ScoreRow, projectId: string, groups: readonly ScoreGroup[]): object {
  return {
    id: row.id,
    projectId,
    name: row.name,
    value: typedValue(row),
    dataType: row.data_type,
    source: row.source,
    timestamp: isoOfMillis(row.timestamp_ms),
    environment: row.environment,
    createdAt: isoOfMillis(row.created_ms),
    updatedAt: isoOfMillis(row.updated_ms),
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

/** The first id that is present identifies the subject. */
function subjectOf({ dataset_run_id, observation_id, session_id, trace_id }: ScoreRow): object | null {
  if (dataset_run_id) return { kind: 'experiment', id: dataset_run_id }
  if (observation_id) return { kind: 'observation', id: observation_id, ...(trace_id && { traceId: trace_id }) }
  if (session_id) return { kind: 'session', id: session_id }
  return trace_id ? { kind: 'trace', id: trace_id } : null
}

/** Parses the metadata's values, which are stored as text. Text that is not valid JSON stays text. */
function metadataOf({ metadata = '{}' }: ScoreRow): object {
  const entries = Object.entries(parsed(metadata) ?? {})
  return Object.fromEntries(entries.map(([key, text]) => [key, typeof text === 'string' ? parsed(text) : text]))
}

function parsed(text: string): unknown {
  try {
    return parseStoredJson(text)
  } catch {
    return text
  }
}
