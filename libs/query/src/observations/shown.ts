// The wire form of observations, by group of fields (contract §17.2).
import { e } from '../fields/events.ts'
import { firstTokenMs, isRoot, latencyMs, traceName } from '../fields/expressions.ts'
import {
  amounts,
  commaList,
  cutMetadata,
  iso,
  isoOrNull,
  isTrue,
  level,
  metadata,
  orNull,
  parameters,
  seconds,
  textOrNull,
  texts,
  totalOf,
} from '../fields/wire.ts'
import type { RowOf } from '../sql/field.ts'
import { type Sql, sql } from '../sql/sql.ts'

const groups = {
  core: {
    id: e.span_id,
    traceId: orNull(e.trace_id),
    startTime: iso(e.start_time),
    endTime: isoOrNull(e.end_time),
    projectId: e.project_id,
    parentObservationId: orNull(e.parent_span_id),
    type: e.type,
  },
  basic: {
    name: orNull(e.name),
    level: level(e.level),
    statusMessage: orNull(e.status_message),
    version: orNull(e.version),
    environment: e.environment,
    bookmarked: e.bookmarked,
    public: e.public,
    userId: orNull(e.user_id),
    sessionId: orNull(e.session_id),
    isRootObservation: isTrue(isRoot),
  },
  time: { completionStartTime: isoOrNull(e.completion_start_time), createdAt: iso(e.created_at), updatedAt: iso(e.updated_at) },
  io: { input: orNull(e.input), output: orNull(e.output) },
  metadata: { metadata },
  model: {
    model: orNull(e.provided_model_name),
    providedModelName: orNull(e.provided_model_name),
    internalModelId: orNull(e.model_id),
    modelParameters: parameters(e.model_parameters),
  },
  usage: {
    usageDetails: amounts(e.usage_details),
    costDetails: amounts(e.cost_details),
    totalCost: totalOf(e.cost_details),
    usagePricingTierName: orNull(e.usage_pricing_tier_name),
  },
  prompt: { promptId: orNull(e.prompt_id), promptName: orNull(e.prompt_name), promptVersion: e.prompt_version },
  metrics: { latency: seconds(latencyMs), timeToFirstToken: seconds(firstTokenMs) },
  trace_context: { traceName: textOrNull(traceName), tags: texts(e.tags), release: orNull(e.release) },
}
export type ObservationGroup = keyof typeof groups

type Groups = typeof groups
type Optional = Groups['basic'] &
  Groups['time'] &
  Groups['io'] &
  Groups['metadata'] &
  Groups['model'] &
  Groups['usage'] &
  Groups['prompt'] &
  Groups['metrics'] &
  Groups['trace_context']

export type ShownObservation = RowOf<Groups['core']> & Partial<RowOf<Optional>>

/**
 * Returns the fields of the group `core` and of the groups in `asked`. Long metadata values are cut, unless `isExpanded` is true or `asked`
 * contains `io`.
 */
export function shownFields(asked: ReadonlySet<ObservationGroup>, isExpanded: boolean) {
  return {
    ...groups.core,
    ...(asked.has('basic') && groups.basic),
    ...(asked.has('time') && groups.time),
    ...(asked.has('io') && groups.io),
    ...(asked.has('metadata') && (isExpanded || asked.has('io') ? groups.metadata : { metadata: cutMetadata })),
    ...(asked.has('model') && groups.model),
    ...(asked.has('usage') && groups.usage),
    ...(asked.has('prompt') && groups.prompt),
    ...(asked.has('metrics') && groups.metrics),
    ...(asked.has('trace_context') && groups.trace_context),
  }
}

const isGroup = (name: string): name is ObservationGroup => Object.hasOwn(groups, name)

/** Unknown names are ignored. */
export function groupsOf(names: string | undefined): ReadonlySet<ObservationGroup> {
  const listed = commaList(names)
  return listed.length === 0 ? new Set(['core', 'basic']) : new Set(['core', ...listed.filter(isGroup)])
}

/** Approximate size of a row's long fields, in characters. */
export function sizeOf(asked: ReadonlySet<ObservationGroup>): Sql {
  const long: readonly (readonly [ObservationGroup, Sql])[] = [
    ['io', sql`${e.input_length.sql} + ${e.output_length.sql}`],
    ['metadata', sql`arraySum(value -> length(value), ${e.metadata_values.sql}) + arraySum(name -> length(name), ${e.metadata_names.sql})`],
    ['basic', sql`length(${e.status_message.sql}) + length(${e.name.sql}) + length(${e.version.sql})`],
    ['model', sql`length(${e.model_parameters.sql})`],
    ['usage', sql`32 * (length(mapKeys(${e.usage_details.sql})) + length(mapKeys(${e.cost_details.sql})))`],
    ['trace_context', sql`arraySum(tag -> length(tag), ${e.tags.sql})`],
  ]
  return long.filter(([group]) => asked.has(group)).reduce((sum, [, size]) => sql`${sum} + ${size}`, sql`500`)
}
