// All fields by which observations can be filtered (contract §17.3).
import { constant, sql } from '../sql/sql.ts'
import { costOf, entryOf, millisBetween, tokensOf } from './amounts.ts'
import { boolean, booleanOf, list, listOf, number, numberOf, text, textOf, time, timeOf } from './build.ts'
import { type EventRow, e } from './events.ts'
import * as expressions from './expressions.ts'
import type { AmountsField, FilterField, MetadataField, PriceField, ScoreField, SearchedField, TextField } from './kinds.ts'
import { leafOf } from './metadata.ts'

const hasParent = (row: EventRow) => row.parent_span_id !== ''
const isRoot = (row: EventRow) => !hasParent(row) || row.is_app_root
const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)
const latencyMs = (row: EventRow) => millisBetween(row.start_time, row.end_time)
const indexed = { cost: 'indexed' } as const

const identity: readonly FilterField[] = [
  text('projectId', 'Project ID', 'Id of the project.', textOf('project_id'), { cost: 'key' }),
  text('id', 'ID', 'Id of the observation.', textOf('span_id'), { ...indexed, also: ['span_id'] }),
  text('traceId', 'Trace ID', 'Id of the trace.', textOf('trace_id'), indexed),
  text('parentObservationId', 'Parent Observation ID', 'Id of the parent observation.', textOf('parent_span_id')),
  boolean('hasParentObservation', 'Has Parent Observation', 'Whether the observation has a parent.', {
    sql: sql`(${e.parent_span_id.sql} != '')`,
    of: hasParent,
  }),
  boolean(
    'isRootObservation',
    'Is Root Observation',
    'Whether the observation has no parent, or is marked as the first observation of its application.',
    {
      sql: expressions.isRoot,
      of: isRoot,
    },
  ),
  text('type', 'Type', 'SPAN, GENERATION, EVENT, AGENT, TOOL, …', textOf('type')),
  text('name', 'Name', 'Name of the observation.', textOf('name')),
  text('environment', 'Environment', 'Environment in which the observation was recorded.', textOf('environment'), {
    also: ['traceEnvironment', 'Trace Environment'],
  }),
  text('level', 'Level', 'DEBUG, DEFAULT, WARNING, ERROR.', textOf('level')),
  text('statusMessage', 'Status Message', 'Status message, such as an error.', textOf('status_message')),
  text('version', 'Version', 'Version of the observed code.', textOf('version')),
  boolean('bookmarked', 'Bookmarked', 'Whether the observation is bookmarked.', booleanOf('bookmarked')),
  boolean('public', 'Public', 'Whether the trace is public.', booleanOf('public')),
]

const times: readonly FilterField[] = [
  time('startTime', 'Start Time', 'Start time of the observation.', timeOf('start_time'), { cost: 'key' }),
  time('endTime', 'End Time', 'End time of the observation.', timeOf('end_time')),
  time('completionStartTime', 'Completion Start Time', 'Time of the first token.', timeOf('completion_start_time')),
  time('createdAt', 'Created At', 'Time when the observation was first stored.', timeOf('created_at')),
  time('updatedAt', 'Updated At', 'Time when the observation was last stored.', timeOf('updated_at')),
  number('latency', 'Latency (s)', 'Seconds from start to end.', {
    sql: sql`(${expressions.latencyMs} / 1000)`,
    of: row => seconds(latencyMs(row)),
  }),
  number('timeToFirstToken', 'Time To First Token (s)', 'Seconds from start to the first token.', {
    sql: sql`(${expressions.firstTokenMs} / 1000)`,
    of: row => seconds(millisBetween(row.start_time, row.completion_start_time)),
  }),
]

const trace: readonly FilterField[] = [
  text('traceName', 'Trace Name', 'Name of the trace. For a root observation without a trace name: the name of the observation.', {
    sql: expressions.traceName,
    of: row => row.trace_name || (isRoot(row) ? row.name : ''),
  }),
  list('traceTags', 'Trace Tags', 'Tags of the trace.', listOf('tags'), { also: ['tags', 'Tags'] }),
  text('userId', 'User ID', 'Id of the trace’s user.', textOf('user_id'), { ...indexed, also: ['User'] }),
  text('sessionId', 'Session ID', 'Id of the session of the trace.', textOf('session_id'), { ...indexed, also: ['Session'] }),
  text('release', 'Release', 'Release of the application.', textOf('release')),
]

const model: readonly FilterField[] = [
  text('model', 'Model', 'Name of the model, as it was sent.', textOf('provided_model_name'), {
    also: ['providedModelName', 'Provided Model Name'],
  }),
  text('modelId', 'Model ID', 'Id of the model whose prices apply.', textOf('model_id'), { also: ['internalModelId'] }),
  text('modelParameters', 'Model Parameters', 'Parameters of the call, as JSON text.', textOf('model_parameters')),
  text('usagePricingTierName', 'Pricing Tier', 'Name of the applied price tier.', {
    sql: sql`ifNull(${e.usage_pricing_tier_name.sql}, '')`,
    of: row => row.usage_pricing_tier_name ?? '',
  }),
  text('promptId', 'Prompt ID', 'Id of the prompt that was used.', textOf('prompt_id')),
  text('promptName', 'Prompt Name', 'Name of the prompt that was used.', textOf('prompt_name'), { also: ['Prompt'] }),
  number('promptVersion', 'Prompt Version', 'Version of the prompt that was used.', numberOf('prompt_version')),
]

const amountsOf = (id: string, label: string, help: string, column: 'usage_details' | 'cost_details'): AmountsField => ({
  ...{ kind: 'amounts', id, label, help, cost: 'scan' },
  ...{ sql: e[column].sql, of: row => row[column] },
})

const priceOf = (price: PriceField['price'], label: string, usage: string): PriceField => ({
  ...{ kind: 'price', id: price, price, label, cost: 'scan' },
  help: `US dollars for one unit of the usage type "${usage}", in the default tier of the model.`,
})

/** The values of these fields come from the model catalog, not from the rows. Only queries of observations can filter by these fields. */
export const priceFields: readonly PriceField[] = [
  priceOf('inputPrice', 'Input Price ($)', 'input'),
  priceOf('outputPrice', 'Output Price ($)', 'output'),
  priceOf('totalPrice', 'Total Price ($)', 'total'),
]

const usage: readonly FilterField[] = [
  amountsOf('usageDetails', 'Usage Details', 'Number of tokens, or of other units, of a usage type. Key: the usage type.', 'usage_details'),
  amountsOf('costDetails', 'Cost Details ($)', 'Cost of a usage type, in US dollars. Key: the usage type.', 'cost_details'),
  number('inputTokens', 'Input Tokens', 'Tokens of all usage types with "input" in their names.', {
    sql: expressions.tokens('input'),
    of: row => tokensOf(row.usage_details, 'input'),
  }),
  number('outputTokens', 'Output Tokens', 'Tokens of all usage types with "output" in their names.', {
    sql: expressions.tokens('output'),
    of: row => tokensOf(row.usage_details, 'output'),
  }),
  number(
    'totalTokens',
    'Total Tokens',
    'Tokens of the usage type "total".',
    { sql: expressions.entry(e.usage_details.sql, 'total'), of: row => entryOf(row.usage_details, 'total') },
    { also: ['tokens', 'Tokens'] },
  ),
  number('tokensPerSecond', 'Tokens per second', 'Output tokens per second of latency.', {
    sql: expressions.perSecond(expressions.tokens('output'), expressions.latencyMs),
    of(row) {
      const ms = latencyMs(row)
      return ms === null || ms === 0 ? null : tokensOf(row.usage_details, 'output') / (ms / 1000)
    },
  }),
  number('inputCost', 'Input Cost ($)', 'Cost in US dollars of all usage types with "input" in their names.', {
    sql: sql`toFloat64(${e.calculated_input_cost.sql})`,
    of: row => costOf(row.cost_details, 'input'),
  }),
  number('outputCost', 'Output Cost ($)', 'Cost in US dollars of all usage types with "output" in their names.', {
    sql: sql`toFloat64(${e.calculated_output_cost.sql})`,
    of: row => costOf(row.cost_details, 'output'),
  }),
  number('totalCost', 'Total Cost ($)', 'Total cost in US dollars.', {
    sql: sql`toFloat64(${expressions.entry(e.cost_details.sql, 'total')})`,
    of: row => entryOf(row.cost_details, 'total'),
  }),
]

const searched = (id: 'input' | 'output', label: string, help: string): SearchedField => ({
  ...{ kind: 'searched', id, label, help, cost: 'indexed' },
  ...textOf(id),
})

export const metadataField: MetadataField = {
  ...{ kind: 'metadata', id: 'metadata', label: 'Metadata', of: 'event', cost: 'indexed' },
  help: 'Value of a metadata entry. Key: the name of the entry, such as customer.plan.',
}

const content: readonly FilterField[] = [
  searched('input', 'Input', 'Text of the input.'),
  searched('output', 'Output', 'Text of the output.'),
  boolean('hasInput', 'Has Input', 'Whether the observation has an input.', {
    sql: sql`(${e.input.sql} != '')`,
    of: row => row.input !== '',
  }),
  boolean('hasOutput', 'Has Output', 'Whether the observation has an output.', {
    sql: sql`(${e.output.sql} != '')`,
    of: row => row.output !== '',
  }),
  metadataField,
]

const tools: readonly FilterField[] = [
  number('toolDefinitions', 'Tool Definitions', 'Number of offered tools.', {
    sql: sql`length(mapKeys(${e.tool_definitions.sql}))`,
    of: row => Object.keys(row.tool_definitions).length,
  }),
  number('toolCalls', 'Tool Calls', 'Number of called tools.', {
    sql: sql`length(${e.tool_calls.sql})`,
    of: row => row.tool_calls.length,
  }),
  list('toolNames', 'Tool Names', 'Names of the tools that were offered.', {
    sql: sql`mapKeys(${e.tool_definitions.sql})`,
    of: row => Object.keys(row.tool_definitions),
  }),
  list('calledToolNames', 'Called Tool Names', 'Names of the tools that were called.', listOf('tool_call_names')),
]

const experiment: readonly FilterField[] = [
  text('experimentId', 'Experiment ID', 'Id of the experiment.', textOf('experiment_id'), indexed),
  text('experimentName', 'Experiment Name', 'Name of the experiment.', textOf('experiment_name')),
  text('experimentDatasetId', 'Experiment Dataset ID', 'Id of the dataset of the experiment.', textOf('experiment_dataset_id')),
  text('experimentItemId', 'Experiment Item ID', 'Id of the dataset item.', textOf('experiment_item_id')),
  boolean('isExperimentItemRootSpan', 'Is Experiment Item Root Span', 'Whether the observation is the root of an experiment item.', {
    sql: sql`(${e.experiment_item_root_span_id.sql} != '' AND ${e.experiment_item_root_span_id.sql} = ${e.span_id.sql})`,
    of: row => row.experiment_item_root_span_id !== '' && row.experiment_item_root_span_id === row.span_id,
  }),
]

/** Evaluation fields are read from these metadata entries. */
const evaluationNames = { evaluatorId: 'evaluator_id', ruleId: 'rule_id' } as const

function evaluation(id: keyof typeof evaluationNames, label: string, help: string): TextField {
  const name = evaluationNames[id]
  const at = sql`arrayLastIndex(n -> n = '${constant(name)}', ${e.metadata_names.sql})`
  // events_core does not truncate evaluator and rule ids, because they are short.
  return text(id, label, help, { sql: sql`${e.metadata_values.sql}[${at}]`, of: row => leafOf(row, name)?.text ?? '' })
}

const provenance: readonly FilterField[] = [
  evaluation('evaluatorId', 'Evaluator ID', 'Id of the evaluator that created the observation.'),
  evaluation('ruleId', 'Rule ID', 'Id of the evaluation rule that created the observation.'),
  text('ingestionApiKey', 'Ingestion API Key', 'Public key with which the observation was sent.', textOf('ingestion_api_key')),
  text('ingestionSdkName', 'Ingestion SDK Name', 'SDK that sent the observation.', textOf('ingestion_sdk_name')),
  text('ingestionSdkVersion', 'Ingestion SDK Version', 'Version of the SDK that sent the observation.', textOf('ingestion_sdk_version')),
  text('ingestionSource', 'Ingestion Source', 'Path on which the observation was ingested.', textOf('source')),
]

const scoresOf = (of: ScoreField['of'], prefix: string, label: string): readonly ScoreField[] => [
  {
    ...{ kind: 'scoreAverage', id: `${prefix}scores_avg`, label: `${label}Scores (numeric)`, of, cost: 'scan' },
    help: 'Average of NUMERIC and BOOLEAN scores. Key: the name of the scores.',
  },
  {
    ...{ kind: 'scoreCategories', id: `${prefix}score_categories`, label: `${label}Scores (categorical)`, of, cost: 'scan' },
    help: 'Labels of CATEGORICAL and TEXT scores. Key: the name of the scores.',
  },
  {
    ...{ kind: 'scoreBooleans', id: `${prefix}score_booleans`, label: `${label}Scores (boolean)`, of, cost: 'scan' },
    help: 'Values of BOOLEAN scores. Key: the name of the scores.',
  },
]

export const observationFields: readonly FilterField[] = [
  ...[...identity, ...times, ...trace, ...model, ...usage, ...content, ...tools, ...experiment, ...provenance],
  ...[...scoresOf('observation', '', ''), ...scoresOf('trace', 'trace_', 'Trace ')],
]
