// Checks the experiment of each span in a trace with run items. The backfill's inserts assign items downward, from the root span of an item
// to the spans below. The proof searches upward, from each span to the root span of an item. Each round of the search climbs twice as many
// levels of the tree as the previous round.
import { randomUUID } from 'node:crypto'
import { literal } from '@svc-server/column-store/literal'
import type { Chunk } from './chunks.ts'
import { ofProjects } from './excluded.ts'
import { scratchNames } from './scratch.ts'
import { rowsIn, type Source } from './sources.ts'
import type { Scope, Walk } from './step.ts'
import { compareUntilSettled, isDenied, linesOf, verificationTable } from './verdicts.ts'

const hashOf = (values: readonly string[]) => `cityHash64(${values.map(value => `toString(${value})`).join(', ')})`
const millis = (column: string) => `ifNull(toUnixTimestamp64Milli(${column}), 0)`

/** SQL for the hash of the experiment columns. `e` is the prefix of the columns. */
export const experimentOf = (e: string): string =>
  hashOf([
    ...['experiment_id', 'experiment_name', 'experiment_description', 'experiment_dataset_id', 'experiment_item_id'].map(name => e + name),
    ...['experiment_item_expected_output', 'experiment_item_root_span_id'].map(name => e + name),
    millis(`${e}experiment_item_version`),
    ...['experiment_metadata_names', 'experiment_metadata_values', 'experiment_item_metadata_names', 'experiment_item_metadata_values'].map(
      name => e + name,
    ),
  ])

const itemHash = hashOf([
  ...['dataset_run_id', 'dataset_run_name', "ifNull(dataset_run_description, '')", 'dataset_id', 'dataset_item_id'],
  ...["ifNull(dataset_item_expected_output, '')", 'root', millis('dataset_item_version')],
  ...[
    'mapKeys(dataset_run_metadata)',
    'mapValues(dataset_run_metadata)',
    'mapKeys(dataset_item_metadata)',
    'mapValues(dataset_item_metadata)',
  ],
])

export const noExperiment = hashOf([...Array.from({ length: 7 }, () => "''"), '0', ...Array.from({ length: 4 }, () => "'[]'")])

interface Climb {
  readonly batch: string
  readonly pairs: string
  readonly projects: string
}

const table = ({ session }: Scope, name: string) => session.dialect.table(name)

/** Selects the run items of the traces in `pairs`. The column `root` has the id of the run item's root span. */
const items = (scope: Scope, { pairs, projects }: Climb) =>
  `SELECT *, if(ifNull(observation_id, '') = '', concat('t-', trace_id), assumeNotNull(observation_id)) AS root
   FROM ${table(scope, 'dataset_run_items_rmt')} FINAL WHERE ${projects} AND (project_id, trace_id) IN (${pairs})`

const before = (column: string, ms: number) => `${column} < fromUnixTimestamp64Milli(toInt64(${ms}))`

/** Selects the spans of the traces in `pairs`. Leaves out spans that are newer than the cutoff. */
const spans = (scope: Scope, { pairs, projects }: Climb) =>
  `SELECT project_id, trace_id, id, ifNull(parent_observation_id, '') AS parent FROM ${table(scope, 'observations')} FINAL
   WHERE ${projects} AND (project_id, trace_id) IN (${pairs}) AND (${before('event_ts', scope.cutoffMs)} OR ${before('start_time', scope.cutoffMs)})
   ORDER BY event_ts DESC LIMIT 1 BY project_id, trace_id, id`

const beginClimb = (scope: Scope, climb: Climb) =>
  `INSERT INTO ${table(scope, scratchNames.proofSpans)} (batch, round, project_id, trace_id, span_id, at)
SELECT ${literal(climb.batch)}, 0, project_id, trace_id, id,
  multiIf((project_id, trace_id, id) IN (SELECT project_id, trace_id, root FROM (${items(scope, climb)})), id, parent != '', parent, concat('t-', trace_id))
FROM (${spans(scope, climb)}) WHERE ${scope.session.unfenced}`

const ofRound = (scope: Scope, { batch }: Climb, round: number) =>
  `SELECT project_id, trace_id, span_id, at FROM ${table(scope, scratchNames.proofSpans)} FINAL WHERE batch = ${literal(batch)} AND round = ${round}`

const climbOn = (scope: Scope, climb: Climb, round: number) =>
  `INSERT INTO ${table(scope, scratchNames.proofSpans)} (batch, round, project_id, trace_id, span_id, at)
SELECT ${literal(climb.batch)}, ${round + 1}, s.project_id, s.trace_id, s.span_id, if(a.at = '', s.at, a.at) FROM (${ofRound(scope, climb, round)}) AS s
LEFT ANY JOIN (${ofRound(scope, climb, round)}) AS a ON a.project_id = s.project_id AND a.trace_id = s.trace_id AND a.span_id = s.at
WHERE ${scope.session.unfenced}`

/**
 * The size of the largest trace determines the number of rounds, because a path to a root has at most as many steps as its trace has spans.
 */
async function climbAll(scope: Scope, climb: Climb): Promise<number> {
  const { run, query } = scope.session
  await run(beginClimb(scope, climb))
  const [longest] = await query<{ spans: string }>(
    `SELECT max(spans) AS spans FROM (SELECT count() AS spans FROM (${ofRound(scope, climb, 0)}) GROUP BY project_id, trace_id)`,
  )
  const rounds = Math.ceil(Math.log2(Number(longest!.spans) + 1))
  for (let round = 0; round < rounds; round++) await run(climbOn(scope, climb, round))
  return rounds
}

function insertVerdicts(scope: Scope, climb: Climb, rounds: number, run: string, chunk: string, month: number | undefined): string {
  const { settledMs, cutoffMs, session } = scope
  const { pairs, projects } = climb
  const since = (column: string) => `${column} >= fromUnixTimestamp64Milli(toInt64(${settledMs ?? cutoffMs}))`
  const changed = ['dataset_run_items_rmt', 'observations'].map(
    name =>
      `SELECT project_id, trace_id FROM ${table(scope, name)} WHERE ${projects} AND (project_id, trace_id) IN (${pairs}) AND ${since('event_ts')}`,
  )
  const expected = `SELECT project_id, trace_id, root, argMax(${itemHash}, (created_at, id)) AS hash FROM (${items(scope, climb)}) GROUP BY project_id, trace_id, root`
  return `INSERT INTO ${session.dialect.table(verificationTable)} (run, kind, project_id, month, chunk, source, denied, written, different, checksum, expected_checksum)
SELECT ${literal(run)}, 'experiments', project_id, month, ${literal(chunk)}, count(), countIf(is_denied), countIf(NOT is_denied AND (is_right OR is_changed)),
  countIf(NOT is_denied AND NOT is_right AND NOT is_changed), sumIf(actual, NOT is_denied AND NOT is_changed), sumIf(expected, NOT is_denied AND NOT is_changed)
FROM (
  SELECT e.project_id AS project_id, e.month AS month, e.actual AS actual, if(i.root = '', ${noExperiment}, i.hash) AS expected, actual = expected AS is_right,
    ${isDenied(session, 'e.project_id', 'e.trace_id')} AS is_denied, (e.project_id, e.trace_id) IN (${changed.join(' UNION ALL ')}) AS is_changed
  FROM (
    SELECT f.project_id AS project_id, f.trace_id AS trace_id, f.month AS month, f.actual AS actual, if(s.at = '', f.span_id, s.at) AS top
    FROM (SELECT project_id, trace_id, span_id, toYYYYMM(start_time) AS month, ${experimentOf('')} AS actual FROM ${table(scope, 'events_full')} FINAL
      WHERE ${projects} AND (project_id, trace_id) IN (${pairs}) AND endsWith(source, '-backfill') AND ${month === undefined ? '1' : `toYYYYMM(start_time) = ${month}`}) AS f
    LEFT ANY JOIN (${ofRound(scope, climb, rounds)}) AS s ON s.project_id = f.project_id AND s.trace_id = f.trace_id AND s.span_id = f.span_id
  ) AS e
  LEFT ANY JOIN (${expected}) AS i ON i.project_id = e.project_id AND i.trace_id = e.trace_id AND i.root = e.top
  WHERE ${session.unfenced}
) GROUP BY project_id, month`
}

/**
 * If `month` is set, the proof counts only rows of this month. The proof reads run items of all months, because the run items of these rows
 * can belong to other months.
 */
export const proofOfExperiments = (run: string, source: Source, month: number | undefined): Walk => ({
  name: 'proof of the experiments',
  source,
  async bring(scope: Scope, chunk: Chunk) {
    const climb: Climb = {
      batch: randomUUID(),
      pairs: `SELECT project_id, trace_id FROM ${table(scope, source.table)} WHERE ${rowsIn(source, chunk)}`,
      projects: ofProjects(chunk),
    }
    const name = JSON.stringify([chunk.month, chunk.after])
    const rounds = await climbAll(scope, climb)
    const lines = `${linesOf(run, 'experiments')} AND chunk = ${literal(name)}`
    await compareUntilSettled(scope, lines, () => scope.session.run(insertVerdicts(scope, climb, rounds, run, name, month)))
    await scope.session.run(`ALTER TABLE ${table(scope, scratchNames.proofSpans)} DROP PARTITION ${literal(climb.batch)}`)
  },
})
