// SQL for the expected event of each old row, by contract §15. This SQL checks the inserts, so it shares no code with them.
import type { Chunk } from './chunks.ts'
import { ofProjects } from './excluded.ts'
import { ofRun } from './proof-tables.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'
import { rowsIn, type Source } from './sources.ts'
import { type Scope, sinceCutoff } from './step.ts'

export interface Comparison {
  readonly kind: 'traces' | 'observations'
  /**
   * SQL that selects project_id, trace_id, span_id, ms, event_ts, changed_ts, expected, is_rootless and is_superseded. An event takes some
   * values from other rows; `changed_ts` is the time at which these values last changed. `expected` is the hash of the event. `is_rootless`
   * is true if the trace has no root. `is_superseded` is true if a newer row has the same id.
   */
  readonly expected: string
}

const maps = (name: string) => `toString(${name})`

/** Hash of an event. It covers the values that come from the observation, the values that come from its trace, and the parent's id. */
export const eventHash = `cityHash64(name, type, level, environment, release, trace_name, user_id, session_id, tags, public, input, output, version, status_message,
  ifNull(toUnixTimestamp64Milli(end_time), 0), ${maps('usage_details')}, ${maps('cost_details')}, provided_model_name, model_id, model_parameters, prompt_name,
  metadata_names, metadata_values, bookmarked, parent_span_id)`

const observationHash = `cityHash64(o.name, o.type, o.level, o.environment, t.said.2, t.said.1, t.said.3, t.said.4, t.said.5, t.said.6, ifNull(o.input, ''), ifNull(o.output, ''),
  if(isNull(o.version), t.said.7, assumeNotNull(o.version)), ifNull(o.status_message, ''), ifNull(toUnixTimestamp64Milli(o.end_time), 0), ${maps('o.usage_details')},
  ${maps('o.cost_details')}, ifNull(o.provided_model_name, ''), ifNull(o.internal_model_id, ''), ifNull(o.model_parameters, '{}'), ifNull(o.prompt_name, ''),
  mapKeys(o.metadata), mapValues(o.metadata), false,
  multiIf(ifNull(o.parent_observation_id, '') != '', ifNull(o.parent_observation_id, ''), r.root NOT IN ('', o.id), r.root, concat('t-', o.trace_id)))`

const traceHash = `cityHash64(name, 'SPAN', 'DEFAULT', environment, ifNull(release, ''), name, ifNull(user_id, ''), ifNull(session_id, ''), tags, public, ifNull(input, ''),
  ifNull(output, ''), ifNull(version, ''), '', toInt64(0), '{}', '{}', '', '', '{}', '', mapKeys(metadata), mapValues(metadata), bookmarked, '')`

/** Selects the current values of each trace, and the time of its last change. A deletion counts as a change. */
function saidOf({ dialect }: Session, ids: string, chunk: Chunk): string {
  const traces = dialect.table('traces')
  const within = `WHERE ${ofProjects(chunk)} AND (project_id, id) IN (${ids})`
  return `SELECT project_id, id, max(at) AS newest, max(has) AS has_row, argMax(each, (has, at, timestamp)) AS said FROM (
      SELECT project_id, id, event_ts AS at, 1 AS has, timestamp,
        tuple(name, ifNull(release, ''), ifNull(user_id, ''), ifNull(session_id, ''), tags, public, ifNull(version, '')) AS each FROM ${traces} FINAL ${within}
      UNION ALL SELECT project_id, id, event_ts, 0, timestamp, tuple('', '', '', '', CAST([], 'Array(String)'), false, '') FROM ${traces} ${within} AND is_deleted = 1
    ) GROUP BY project_id, id`
}

/**
 * For each trace, selects the smallest span id of its OTel roots, the newest `event_ts` of these roots, and whether the trace has a virtual
 * root.
 */
const rootsOf = ({ dialect }: Session, ids: string, chunk: Chunk, run: string) =>
  `SELECT project_id, trace_id, minIf(span_id, NOT is_virtual) AS root, maxIf(event_ts, NOT is_virtual) AS root_ts, max(is_virtual) AS has_virtual FROM (
     SELECT project_id, trace_id, span_id, event_ts, span_id = concat('t-', trace_id) AS is_virtual FROM ${dialect.table(scratchNames.proofRoots)}
     WHERE ${ofRun(run)} AND ${ofProjects(chunk)} AND (project_id, trace_id) IN (${ids})
   ) GROUP BY project_id, trace_id`

export function ofObservations(scope: Scope, source: Source, chunk: Chunk, run: string): Comparison {
  const { session } = scope
  const { dialect } = session
  const table = dialect.table('observations')
  const rows = rowsIn(source, chunk)
  const ids = `SELECT project_id, trace_id FROM ${table} WHERE ${rows}`
  return {
    kind: 'observations',
    expected: `SELECT o.project_id AS project_id, o.trace_id AS trace_id, o.id AS span_id, toUnixTimestamp64Milli(o.start_time) AS ms, o.event_ts AS event_ts,
        greatest(t.newest, toDateTime64(r.root_ts, 3)) AS changed_ts, ${observationHash} AS expected, (t.has_row = 0 OR ${sinceCutoff('t.newest', scope)}) AND r.root = '' AND r.has_virtual = 0 AS is_rootless,
        w.newest > o.event_ts OR w.is_tied = 1 AS is_superseded
      FROM (SELECT * FROM ${table} FINAL WHERE ${rows}) AS o
      LEFT ANY JOIN (${saidOf(session, ids, chunk)}) AS t ON t.project_id = o.project_id AND t.id = o.trace_id
      LEFT ANY JOIN (${rootsOf(session, ids, chunk, run)}) AS r ON r.project_id = o.project_id AND r.trace_id = o.trace_id
      LEFT ANY JOIN (SELECT project_id, trace_id, id, newest, is_tied FROM ${dialect.table(scratchNames.proofTwice)}
        WHERE ${ofRun(run)} AND ${ofProjects(chunk)} AND month = ${chunk.month}) AS w ON w.project_id = o.project_id AND w.trace_id = o.trace_id AND w.id = o.id`,
  }
}

/**
 * The start time of a trace is part of the key of the trace's virtual root. If the start time has changed, the trace has no virtual root at
 * its former key. A trace with a root from OTel has no virtual root at all.
 */
export function ofTraces({ session }: Scope, source: Source, chunk: Chunk, run: string): Comparison {
  const { dialect } = session
  const table = dialect.table('traces')
  const rows = rowsIn(source, chunk)
  const ids = `SELECT project_id, id FROM ${table} WHERE ${rows}`
  return {
    kind: 'traces',
    expected: `SELECT project_id, id AS trace_id, concat('t-', id) AS span_id, toUnixTimestamp64Milli(timestamp) AS ms, event_ts, event_ts AS changed_ts, ${traceHash} AS expected,
        0 AS is_rootless, 0 AS is_superseded
      FROM (SELECT * FROM ${table} FINAL WHERE ${rows})
      WHERE (project_id, id, timestamp) IN (
          SELECT project_id, id, argMax(timestamp, (event_ts, timestamp)) FROM ${table} FINAL WHERE ${ofProjects(chunk)} AND (project_id, id) IN (${ids}) GROUP BY project_id, id)
        AND (project_id, id) NOT IN (SELECT project_id, trace_id FROM (${rootsOf(session, ids, chunk, run)}) WHERE root != '')`,
  }
}
