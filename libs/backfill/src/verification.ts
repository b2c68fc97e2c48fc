// The proof: what each row of the old tables should have become, worked out from the old tables themselves by SQL that shares nothing with the inserts, and compared
// with what is in both events tables. The result is a table, so that it can be kept.
import { literal } from '@svc-server/column-store/literal'
import type { Dialect } from '@svc-server/schema/dialect'
import type { Chunk } from './chunks.ts'
import { inRange, type KeyColumn } from './key-range.ts'
import { monthBounds } from './months.ts'
import { scratchNames } from './scratch.ts'
import { observationsSource, ofProject, rowsIn, type Source, tracesSource } from './sources.ts'
import type { Scope, Walk } from './step.ts'

export const verificationTable = 'backfill_verification'

/**
 * What a row of the old tables is counted as. newer: the live path's. denied: deleted by an operator. there: stood among the events already. written: by the backfill,
 * as expected, or with properties of a trace that has changed since the backfill looked for changes last. missing, different: not as expected. coreMissing, coreDifferent: the same of events_core, which has texts cut to 200 characters.
 */
export const verdicts = ['source', 'newer', 'denied', 'there', 'written', 'missing', 'different', 'coreMissing', 'coreDifferent'] as const

export type Verdict = (typeof verdicts)[number]

const createVerification = (dialect: Dialect): string =>
  `CREATE TABLE IF NOT EXISTS ${dialect.table(verificationTable)}${dialect.onCluster} (run String, kind LowCardinality(String), project_id String, month UInt32,
  chunk String, ${verdicts.map(verdict => `${verdict} UInt64`).join(', ')}, checksum UInt64, expected_checksum UInt64, at DateTime64(3, 'UTC') DEFAULT now64(3))
ENGINE = ${dialect.engine('ReplacingMergeTree', 'at')} ORDER BY (run, kind, project_id, month, chunk)`

interface Comparison {
  readonly kind: 'traces' | 'observations'
  /** SELECT of project_id, trace_id, span_id, ms, event_ts, trace_ts (of its trace's newest version), expected. */
  readonly expected: string
  /** Of a row of the events, over the same columns. */
  readonly actual: string
}

const maps = (name: string) => `toString(${name})`

/** Of an event: what its observation and its trace said. Not: its parent and its experiment, which depend on other rows. */
const eventHash = `cityHash64(name, type, level, environment, release, trace_name, user_id, session_id, tags, public, input, output, version, status_message,
  ifNull(toUnixTimestamp64Milli(end_time), 0), ${maps('usage_details')}, ${maps('cost_details')}, provided_model_name, model_id, model_parameters, prompt_name,
  metadata_names, metadata_values, bookmarked)`

const newestTraces = (traces: string, ids: string) =>
  `SELECT project_id, id, max(event_ts) AS newest, argMax(tuple(name, ifNull(release, ''), ifNull(user_id, ''), ifNull(session_id, ''), tags, public, ifNull(version, '')), event_ts) AS said
   FROM ${traces} FINAL WHERE (project_id, id) IN (${ids}) GROUP BY project_id, id`

const observationHash = `cityHash64(o.name, o.type, o.level, o.environment, t.said.2, t.said.1, t.said.3, t.said.4, t.said.5, t.said.6, ifNull(o.input, ''), ifNull(o.output, ''),
  if(isNull(o.version), t.said.7, assumeNotNull(o.version)), ifNull(o.status_message, ''), ifNull(toUnixTimestamp64Milli(o.end_time), 0), ${maps('o.usage_details')},
  ${maps('o.cost_details')}, ifNull(o.provided_model_name, ''), ifNull(o.internal_model_id, ''), ifNull(o.model_parameters, '{}'), ifNull(o.prompt_name, ''),
  mapKeys(o.metadata), mapValues(o.metadata), false)`

const traceHash = `cityHash64(name, 'SPAN', 'DEFAULT', environment, ifNull(release, ''), name, ifNull(user_id, ''), ifNull(session_id, ''), tags, public, ifNull(input, ''),
  ifNull(output, ''), ifNull(version, ''), '', toInt64(0), '{}', '{}', '', '', '{}', '', mapKeys(metadata), mapValues(metadata), bookmarked)`

function ofObservations({ session: { dialect } }: Scope, source: Source, chunk: Chunk): Comparison {
  const table = dialect.table('observations')
  const rows = rowsIn(source, chunk)
  return {
    kind: 'observations',
    actual: eventHash,
    expected: `SELECT o.project_id AS project_id, o.trace_id AS trace_id, o.id AS span_id, toUnixTimestamp64Milli(o.start_time) AS ms, o.event_ts AS event_ts, t.newest AS trace_ts, ${observationHash} AS expected
      FROM (SELECT * FROM (SELECT * FROM ${table} WHERE ${rows} ORDER BY event_ts DESC LIMIT 1 BY project_id, type, toDate(start_time), id) WHERE is_deleted = 0) AS o
      LEFT JOIN (${newestTraces(dialect.table('traces'), `SELECT project_id, trace_id FROM ${table} WHERE ${rows}`)}) AS t ON t.project_id = o.project_id AND t.id = o.trace_id`,
  }
}

/** A trace that was moved, or has a root of its own by OTel, has no virtual root here: not among the expected. */
function ofTraces({ session: { dialect } }: Scope, source: Source, chunk: Chunk): Comparison {
  const table = dialect.table('traces')
  const rows = rowsIn(source, chunk)
  const ids = `SELECT project_id, id FROM ${table} WHERE ${rows}`
  return {
    kind: 'traces',
    actual: eventHash,
    expected: `SELECT project_id, id AS trace_id, concat('t-', id) AS span_id, toUnixTimestamp64Milli(timestamp) AS ms, event_ts, event_ts AS trace_ts, ${traceHash} AS expected
      FROM (SELECT * FROM ${table} WHERE ${rows} ORDER BY event_ts DESC LIMIT 1 BY project_id, toDate(timestamp), id)
      WHERE is_deleted = 0 AND (project_id, id, timestamp) IN (SELECT project_id, id, argMax(timestamp, (event_ts, timestamp)) FROM ${table} FINAL WHERE (project_id, id) IN (${ids}) GROUP BY project_id, id)
        AND (project_id, id) NOT IN (SELECT project_id, trace_id FROM ${dialect.table('events_full')} FINAL
          WHERE parent_span_id = '' AND span_id != concat('t-', trace_id) AND (project_id, trace_id) IN (${ids}))`,
  }
}

const condition: Readonly<Record<Verdict, string>> = {
  source: '1',
  newer: 'is_newer',
  denied: 'NOT is_newer AND is_denied',
  there: "mine AND is_there AND NOT endsWith(source, '-backfill')",
  written: 'mine AND is_there AND is_backfilled AND (actual = expected OR is_restated)',
  missing: 'mine AND NOT is_there',
  different: 'mine AND is_there AND is_backfilled AND actual != expected AND NOT is_restated',
  coreMissing: 'mine AND is_there AND is_backfilled AND NOT in_core',
  coreDifferent: 'mine AND is_there AND is_backfilled AND in_core AND cut != core_cut',
}

const identity = '(project_id, trace_id, span_id, ms)'

function insertVerdicts(scope: Scope, chunk: Chunk, run: string, compare: Comparison, target: string): string {
  const { dialect, unfenced } = scope.session
  const within = `${monthBounds('start_time', chunk.month)} AND ${target}`
  const cut =
    'cityHash64(leftUTF8(input, 200), leftUTF8(output, 200), arrayMap(v -> leftUTF8(v, 200), metadata_values), name, parent_span_id, experiment_id)'
  const of = (table: string, columns: string) =>
    `SELECT project_id, trace_id, span_id, toUnixTimestamp64Milli(start_time) AS ms, ${columns} FROM ${dialect.table(table)} FINAL WHERE ${within}`
  return `INSERT INTO ${dialect.table(verificationTable)} (run, kind, project_id, month, chunk, ${verdicts.join(', ')}, checksum, expected_checksum)
SELECT ${literal(run)}, ${literal(compare.kind)}, project_id, ${chunk.month}, ${literal(JSON.stringify(chunk.after))},
  ${verdicts.map(verdict => `countIf(${condition[verdict]})`).join(', ')},
  sumIf(actual, mine AND is_backfilled AND NOT is_restated), sumIf(expected, mine AND is_backfilled AND NOT is_restated)
FROM (
  SELECT x.project_id AS project_id, x.expected AS expected, e.actual AS actual, e.source AS source, e.cut AS cut, c.core_cut AS core_cut,
    x.event_ts >= fromUnixTimestamp64Milli(toInt64(${scope.cutoffMs})) AS is_newer,
    x.trace_ts >= fromUnixTimestamp64Milli(toInt64(${scope.settledMs ?? scope.cutoffMs})) AS is_restated,
    (x.project_id, x.trace_id) IN (SELECT project_id, trace_id FROM ${dialect.table(scratchNames.denied)})
      OR x.project_id IN (SELECT project_id FROM ${dialect.table(scratchNames.denied)} WHERE trace_id = '') AS is_denied,
    NOT is_newer AND NOT is_denied AS mine, e.found = 1 AS is_there, is_there AND endsWith(e.source, '-backfill') AS is_backfilled, c.found = 1 AS in_core
  FROM (${compare.expected}) AS x
  LEFT ANY JOIN (${of('events_full', `source, ${compare.actual} AS actual, ${cut} AS cut, 1 AS found`)}) AS e USING ${identity}
  LEFT ANY JOIN (${of('events_core', `${cut} AS core_cut, 1 AS found`)}) AS c ON c.project_id = x.project_id AND c.trace_id = x.trace_id AND c.span_id = x.span_id AND c.ms = x.ms
  WHERE ${unfenced}
) GROUP BY project_id`
}

const day = { sql: 'toDate(start_time, timezone())', type: 'Date' } as const
const text = (sql: string) => ({ sql, type: 'String' }) as const

/** `of`: of one project alone. */
export const verifyPhases = (run: string, of: Pick<Source, 'projectId'> = {}): readonly Walk[] => [
  phaseOf('proof of the roots', run, { ...tracesSource, ...of }, ofTraces, [text('project_id'), day, text('trace_id')]),
  phaseOf('proof of the observations', run, { ...observationsSource, ...of }, ofObservations, [
    ...[text('project_id'), text('type'), day, text('span_id')],
  ]),
]

type Compare = (scope: Scope, source: Source, chunk: Chunk) => Comparison

/** `key`: the source's sorting key as the events tables call its columns. */
const phaseOf = (name: string, run: string, source: Source, compare: Compare, key: readonly KeyColumn[]): Walk => ({
  name,
  source,
  prepare: ({ session }) => session.run(createVerification(session.dialect)),
  async bring(scope, chunk) {
    const { session, refreshDenied } = scope
    const comparison = compare(scope, source, chunk)
    const statement = insertVerdicts(scope, chunk, run, comparison, `${ofProject(source)} AND ${inRange(key, chunk)}`)
    await session.run(statement)
    // A trace that is deleted while its chunk is compared is gone from one side: then it is compared again, as a deleted one.
    for (let again = 0; again < 2 && refreshDenied !== undefined; again++) {
      const lines = linesOf(run, comparison.kind, chunk)
      const table = session.dialect.table(verificationTable)
      const [wrong] = await session.query<{ rows: string }>(
        `SELECT sum(missing + different + coreMissing + coreDifferent) AS rows FROM ${table} FINAL WHERE ${lines}`,
      )
      if (Number(wrong!.rows) === 0) return
      await refreshDenied()
      await session.run(`DELETE FROM ${table} WHERE ${lines}`)
      await session.run(statement)
    }
  },
})

const linesOf = (run: string, kind: string, chunk: Chunk) =>
  `run = ${literal(run)} AND kind = ${literal(kind)} AND month = ${chunk.month} AND chunk = ${literal(JSON.stringify(chunk.after))}`
