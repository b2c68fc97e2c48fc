// v3's views that count rows by hour, up to the last whole hour. They are not materialized, so they do not slow down inserts.
import type { Dialect } from '../dialect.ts'

interface HourlyView {
  readonly name: string
  readonly table: string
  readonly time: string
  readonly keys: readonly string[]
  readonly counts: readonly (readonly [name: string, expression: string])[]
}

const any = (condition: string) => `max(${condition})`
const anyIs = (column: string, value: string) => any(`${column} = '${value}'`)
const anyHas = (column: string) => any(`${column} IS NOT NULL`)
const anyEntries = (column: string) => any(`length(${column}) > 0`)
const orUnknown = (column: string) => `if(${column} = '', 'unknown', ${column})`

const views: readonly HourlyView[] = [
  {
    name: 'analytics_traces',
    table: 'traces',
    time: 'timestamp',
    keys: ['project_id'],
    counts: [
      ['countTraces', 'uniq(id)'],
      ['hasUsers', anyHas('user_id')],
      ['hasSessions', anyHas('session_id')],
      ['hasEnvironments', any("if(environment != 'default', 1, 0)")],
      ['hasTags', anyEntries('tags')],
    ],
  },
  {
    name: 'analytics_observations',
    table: 'observations',
    time: 'start_time',
    keys: ['project_id', 'type'],
    counts: [
      ['countObservations', 'uniq(id)'],
      ['hasLevel', any("level != 'DEFAULT'")],
      ['hasProvidedModelName', anyHas('provided_model_name')],
      ['hasProvidedUsageDetails', anyEntries('provided_usage_details')],
      ['hasProvidedCostDetails', anyEntries('provided_cost_details')],
      ['hasPromptName', anyHas('prompt_name')],
    ],
  },
  {
    name: 'analytics_scores',
    table: 'scores',
    time: 'timestamp',
    keys: ['project_id'],
    counts: [
      ['countScores', 'uniq(id)'],
      ['hasAnnotation', anyIs('source', 'ANNOTATION')],
      ['hasApi', anyIs('source', 'API')],
      ['hasEval', anyIs('source', 'EVAL')],
      ['hasObservationScore', anyHas('observation_id')],
      ['hasSessionScore', anyHas('session_id')],
      ['hasDatasetRunScore', anyHas('dataset_run_id')],
      ['hasBoolScore', anyIs('data_type', 'BOOLEAN')],
      ['hasNumericScore', anyIs('data_type', 'NUMERIC')],
      ['hasCategoricalScore', anyIs('data_type', 'CATEGORICAL')],
      ['hasComment', anyHas('comment')],
      ['ingested_sdks', `sumMap(map(concat(${orUnknown('ingestion_sdk_name')}, '@', ${orUnknown('ingestion_sdk_version')}), toUInt64(1)))`],
    ],
  },
]

const createView = (dialect: Dialect, { name, table, time, keys, counts }: HourlyView): string =>
  `CREATE VIEW IF NOT EXISTS ${dialect.table(name)}${dialect.onCluster} AS
SELECT
  ${[...keys, `toStartOfHour(${time}) AS hour`, ...counts.map(([column, expression]) => `${expression} AS ${column}`)].join(',\n  ')}
FROM ${dialect.table(table)}
WHERE toStartOfHour(${time}) <= toStartOfHour(subtractHours(now(), 1))
GROUP BY ${[...keys, 'hour'].join(', ')}`

export const createAnalyticsViews = (dialect: Dialect): readonly string[] => views.map(view => createView(dialect, view))
