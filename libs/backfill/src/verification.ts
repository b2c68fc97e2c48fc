// The proof compares the expected event of each old row with both events tables. The proof's SQL shares no code with the inserts that it
// checks.
import { literal } from '@svc-server/column-store/literal'
import type { Chunk } from './chunks.ts'
import { ofProjects } from './excluded.ts'
import { type Comparison, eventHash, ofObservations, ofTraces } from './expected.ts'
import { experimentOf, noExperiment, proofOfExperiments } from './experiments-proof.ts'
import { inRange, type KeyColumn } from './key-range.ts'
import { monthBounds } from './months.ts'
import { collectProofItems, collectProofRoots, collectTwice, forgetRun, ofRun } from './proof-tables.ts'
import { scratchNames } from './scratch.ts'
import { observationsSource, ofProject, proofItemsSource, type Source, tracesSource } from './sources.ts'
import type { Phase, Scope, Walk } from './step.ts'
import { compareUntilSettled, createVerification, isDenied, linesOf, type Verdict, verdicts, verificationTable } from './verdicts.ts'

const condition: Readonly<Record<Verdict, string>> = {
  source: '1',
  newer: 'is_newer',
  denied: 'NOT is_newer AND is_denied',
  there: "mine AND is_there AND NOT endsWith(source, '-backfill')",
  written: 'mine AND is_there AND is_backfilled AND (NOT is_wrong OR is_restated)',
  missing: 'mine AND NOT is_there',
  different: 'mine AND is_there AND is_backfilled AND is_wrong AND NOT is_restated',
  coreMissing: 'mine AND is_there AND is_backfilled AND NOT in_core',
  coreDifferent: 'mine AND is_there AND is_backfilled AND in_core AND cut != core_cut',
}

const identity = '(project_id, trace_id, span_id, ms)'

/**
 * SQL that hashes a row for the comparison of events_full with events_core. The SQL cuts texts to 200 characters, as events_core does. If
 * a row has the same values in both tables, the two hashes are therefore equal.
 */
const cut = `cityHash64(leftUTF8(input, 200), leftUTF8(output, 200), arrayMap(v -> leftUTF8(v, 200), metadata_values), metadata_names, name, type, level, version, release, trace_name,
  user_id, session_id, tags, public, bookmarked, parent_span_id, ${experimentOf('')})`

function insertVerdicts(scope: Scope, chunk: Chunk, run: string, compare: Comparison, target: string): string {
  const { dialect, unfenced } = scope.session
  const within = `${monthBounds('start_time', chunk.month)} AND ${target}`
  const of = (table: string, columns: string) =>
    `SELECT project_id, trace_id, span_id, toUnixTimestamp64Milli(start_time) AS ms, ${columns} FROM ${dialect.table(table)} FINAL WHERE ${within}`
  const items = `SELECT project_id, trace_id FROM ${dialect.table(scratchNames.proofItems)} WHERE ${ofRun(run)} AND ${ofProjects(chunk)}`
  return `INSERT INTO ${dialect.table(verificationTable)} (run, kind, project_id, month, chunk, ${verdicts.join(', ')}, checksum, expected_checksum)
SELECT ${literal(run)}, ${literal(compare.kind)}, project_id, ${chunk.month}, ${literal(JSON.stringify(chunk.after))},
  ${verdicts.map(verdict => `countIf(${condition[verdict]})`).join(', ')},
  sumIf(actual, mine AND is_backfilled AND NOT is_restated), sumIf(expected, mine AND is_backfilled AND NOT is_restated)
FROM (
  SELECT x.project_id AS project_id, x.expected AS expected, e.actual AS actual, e.source AS source, e.cut AS cut, c.core_cut AS core_cut,
    x.event_ts >= fromUnixTimestamp64Milli(toInt64(${scope.cutoffMs})) OR x.is_superseded AS is_newer,
    x.changed_ts >= fromUnixTimestamp64Milli(toInt64(${scope.settledMs ?? scope.cutoffMs})) AS is_restated,
    ${isDenied(scope.session, 'x.project_id', 'x.trace_id')} AS is_denied,
    NOT is_newer AND NOT is_denied AS mine, e.found = 1 AS is_there, is_there AND endsWith(e.source, '-backfill') AS is_backfilled, c.found = 1 AS in_core,
    actual != expected OR x.is_rootless OR (e.experiment != ${noExperiment} AND (x.project_id, x.trace_id) NOT IN (${items})) AS is_wrong
  FROM (${compare.expected}) AS x
  LEFT ANY JOIN (${of('events_full', `source, ${eventHash} AS actual, ${cut} AS cut, ${experimentOf('')} AS experiment, 1 AS found`)}) AS e USING ${identity}
  LEFT ANY JOIN (${of('events_core', `${cut} AS core_cut, 1 AS found`)}) AS c ON c.project_id = x.project_id AND c.trace_id = x.trace_id AND c.span_id = x.span_id AND c.ms = x.ms
  WHERE ${unfenced}
) GROUP BY project_id`
}

const day = { sql: 'toDate(start_time, timezone())', type: 'Date' } as const
const text = (sql: string) => ({ sql, type: 'String' }) as const

export interface ProofScope extends Pick<Source, 'projectId'> {
  readonly month?: number | undefined
}

export const verifyPhases = (run: string, { projectId, month }: ProofScope = {}): readonly Phase[] => {
  const of = projectId === undefined ? {} : { projectId }
  return [
    collectProof(run),
    phaseOf('proof of the roots', run, { ...tracesSource, ...of }, ofTraces, [text('project_id'), day, text('trace_id')]),
    phaseOf('proof of the observations', run, { ...observationsSource, ...of }, ofObservations, [
      ...[text('project_id'), text('type'), day, text('span_id')],
    ]),
    proofOfExperiments(run, { ...proofItemsSource, ...of, only: ofRun(run) }, month),
    { name: 'end of the proof', source: null, prepare: ({ session }) => forgetRun(session, run) },
  ]
}

const collectProof = (run: string): Phase => ({
  name: 'what the proof compares with',
  source: null,
  async prepare(scope) {
    await scope.session.run(createVerification(scope.session.dialect))
    await forgetRun(scope.session, run)
    await collectProofRoots(scope, run)
    await collectTwice(scope, run)
    await collectProofItems(scope, run)
  },
})

type Compare = (scope: Scope, source: Source, chunk: Chunk, run: string) => Comparison

/** `key` lists the columns of the events tables that correspond to the sorting key of the source table. */
const phaseOf = (name: string, run: string, source: Source, compare: Compare, key: readonly KeyColumn[]): Walk => ({
  name,
  source,
  bring(scope, chunk) {
    const comparison = compare(scope, source, chunk, run)
    const lines = `${linesOf(run, comparison.kind)} AND month = ${chunk.month} AND chunk = ${literal(JSON.stringify(chunk.after))}`
    return compareUntilSettled(scope, lines, () =>
      scope.session.run(insertVerdicts(scope, chunk, run, comparison, `${ofProject(source)} AND ${inRange(key, chunk)}`)),
    )
  },
})
