// The backfill's own tables. When all steps have succeeded, the backfill drops all of these tables except the fence and the result of the
// proof.
import type { Dialect } from '@svc-server/schema/dialect'
import { datasetRunItems } from '@svc-server/schema/old-tables/dataset-run-items'
import { observations } from '@svc-server/schema/old-tables/observations'
import { createOldTable, type OldTable } from '@svc-server/schema/old-tables/table'
import { traces } from '@svc-server/schema/old-tables/traces'

export const scratchNames = {
  observations: 'observations_pid_tid_sorting',
  traces: 'traces_pid_tid_sorting',
  moved: 'backfill_moved_traces',
  roots: 'backfill_roots',
  traceless: 'backfill_traceless',
  experiments: 'backfill_experiments',
  experimentSpans: 'backfill_experiment_spans',
  denied: 'backfill_denied',
  changed: 'backfill_changed',
  proofRoots: 'backfill_proof_roots',
  proofTwice: 'backfill_proof_twice',
  proofItems: 'backfill_proof_items',
  proofSpans: 'backfill_proof_spans',
} as const

export const fenceTable = 'backfill_fence'

const scratchOf = (of: OldTable, name: string, more: Partial<OldTable>): OldTable => {
  const { partitionBy: _, primaryTerms: __, ...rest } = of
  return { ...rest, name, indexes: [], ...more }
}

const large = ['input', 'output']

/**
 * In v3's table, the key of a trace contains the day of the trace. A trace that was moved to another day therefore has several keys, and
 * the scratch table has a row for each of these keys.
 */
const scratchTraces = scratchOf(traces, scratchNames.traces, {
  columns: traces.columns.filter(({ name }) => !large.includes(name) && name !== 'metadata'),
  orderBy: ['project_id', 'id', 'timestamp'],
})

const scratchObservations = scratchOf(observations, scratchNames.observations, {
  partitionBy: 'toYYYYMM(start_time)',
  primaryTerms: 2,
  orderBy: ['project_id', 'trace_id', 'id'],
})

/**
 * A copy of the run items that are older than the cutoff. Step 1 makes the copy, so that the inserts of step 4 always see the same traces.
 * After these inserts, step 4 adds the late run items to this copy.
 */
const scratchExperiments = scratchOf(datasetRunItems, scratchNames.experiments, {
  partitionBy: 'toYYYYMM(created_at)',
  columns: datasetRunItems.columns.filter(({ name }) => name !== 'dataset_item_input'),
  orderBy: ['project_id', 'trace_id', 'id'],
})

const namesOf = ({ columns }: OldTable) => columns.map(({ name }) => name)

export const scratchTraceColumns = namesOf(scratchTraces)
export const scratchObservationColumns = namesOf(scratchObservations)
export const scratchExperimentColumns = namesOf(scratchExperiments)

const small = (dialect: Dialect, name: string, columns: string, orderBy: string, engine: string, partitionBy = 'tuple()') =>
  `CREATE TABLE IF NOT EXISTS ${dialect.table(name)}${dialect.onCluster} (${columns}) ENGINE = ${dialect.engine(engine)} PARTITION BY ${partitionBy} ORDER BY (${orderBy})`

const span = 'project_id String, trace_id String, span_id String'

export const createScratch = (dialect: Dialect): readonly string[] => [
  ...[scratchTraces, scratchObservations, scratchExperiments].map(table => createOldTable(dialect, table)),
  // Former keys of traces that were moved to another day.
  small(
    dialect,
    scratchNames.moved,
    'project_id String, trace_id String, timestamp DateTime64(3)',
    'project_id, trace_id, timestamp',
    'ReplacingMergeTree',
  ),
  // Root spans from OTel. Their traces have no virtual root.
  small(dialect, scratchNames.roots, span, 'project_id, trace_id, span_id', 'ReplacingMergeTree'),
  // Traces that possibly have no row in the table `traces`. Such a trace has a row here for each month of its observations.
  small(
    dialect,
    scratchNames.traceless,
    'month UInt32, project_id String, trace_id String',
    'project_id, trace_id',
    'ReplacingMergeTree',
    'month',
  ),
  // Each row of this table belongs to one span. The row contains the span's run item, and how many levels the span is below the root span
  // of the run item. Each attempt to process a chunk has its own batch id, and reads only the rows with this id.
  small(
    dialect,
    scratchNames.experimentSpans,
    `batch String, ${span}, item_id String, root_span_id String, level UInt16`,
    'batch, project_id, trace_id, span_id',
    'ReplacingMergeTree',
  ),
  // Deleted traces and deleted projects. A row with an empty trace id stands for a deleted project with all its traces.
  small(dialect, scratchNames.denied, 'project_id String, trace_id String', 'project_id, trace_id', 'ReplacingMergeTree'),
  // Traces that got a new row, run item or root while the backfill ran. `month` is the month of that row, run item or root.
  small(
    dialect,
    scratchNames.changed,
    'month UInt32, project_id String, trace_id String',
    'project_id, trace_id',
    'ReplacingMergeTree',
    'month',
  ),
  ...proofTables(dialect),
]

/**
 * For each span of a chunk, the proof searches the span and its ancestors for the root span of a run item (`experiments-proof.ts`).
 * `proofSpans` contains the state of this search. In the other three tables, each row belongs to one run of the proof.
 */
const proofTables = (dialect: Dialect): readonly string[] =>
  (
    [
      [scratchNames.proofRoots, `run String, ${span}, event_ts DateTime64(6)`, 'project_id, trace_id, span_id', 'run'],
      [
        scratchNames.proofTwice,
        'run String, project_id String, trace_id String, id String, month UInt32, newest DateTime64(3), is_tied UInt8',
        'project_id, trace_id, id, month',
        'run',
      ],
      [scratchNames.proofItems, 'run String, month UInt32, project_id String, trace_id String', 'month, project_id, trace_id', 'run'],
      [scratchNames.proofSpans, `batch String, round UInt8, ${span}, at String`, 'round, project_id, trace_id, span_id', 'batch'],
    ] as const
  ).map(([name, columns, orderBy, partitionBy]) => small(dialect, name, columns, orderBy, 'ReplacingMergeTree', partitionBy))

export const createFence = (dialect: Dialect): string =>
  small(dialect, fenceTable, "fence UInt64, owner String, at DateTime64(3, 'UTC') DEFAULT now64(3)", 'fence', 'MergeTree')

export const dropScratch = (dialect: Dialect): readonly string[] =>
  Object.values(scratchNames).map(name => `DROP TABLE IF EXISTS ${dialect.table(name)}${dialect.onCluster} SYNC`)
