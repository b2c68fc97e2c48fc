// All data flows: which group reads which topic, and where the results go (contract §3.1; contract §12.2; architecture §4). The columns of
// the list below are write modes. A record has the mode of the process that accepted it. Every topic is read in every mode, so processes of
// two modes can run together.
import { type GroupName, groupNames, type TopicName, topicNames } from './names.ts'
import { type WriteMode, writeModes } from './write-mode.ts'

/** Services insert into these tables. A materialized view fills events_core from events_full. */
const destinationNames = ['traces', 'observations', 'events_full', 'scores', 'dataset_run_items_rmt', 'sdk_usage', 'ingest_ledger'] as const
export type DestinationName = (typeof destinationNames)[number]

type Outcome = readonly (DestinationName | TopicName)[]

const nothing: Outcome = []
const observations: Outcome = ['observations']
/**
 * A trace's row needs the data of all spans of the trace. Only records of the topic `entities` contain this merged data, so only these
 * records become rows of traces.
 */
const merged: Outcome = ['traces', 'observations']
const parts: Outcome = ['trace.parts']
const events: Outcome = ['events_full']
const both: Outcome = [...observations, ...events]
const everywhere = (outcome: Outcome) => ({ legacy: outcome, dual: outcome, events_only: outcome })

export interface Flow extends Readonly<Record<WriteMode, Outcome>> {
  readonly topic: TopicName
  readonly group: GroupName
}

const { writer, propagator, merger, ledger, deletions } = groupNames

/**
 * Two topics are missing here, because no group reads them: `trace.attributes` (the propagator's changelog) and `dead-letter` (for
 * operators).
 */
export const flows: readonly Flow[] = [
  { topic: 'spans.direct', group: writer, legacy: observations, dual: both, events_only: events },
  { topic: 'spans.overflow', group: writer, legacy: observations, dual: both, events_only: events },
  // Staged spans reach the events tables through spans.filled. The topic spans.staging also has staged entities. The merger also writes
  // these entities to `entities`. The writer fills the old tables from there, so it makes no rows from entities in spans.staging.
  { topic: 'spans.staging', group: writer, legacy: nothing, dual: observations, events_only: nothing },
  { topic: 'spans.staging', group: propagator, ...everywhere(['spans.filled', 'trace.attributes', 'ledger']) },
  { topic: 'spans.filled', group: writer, ...everywhere(events) },
  // The merger that reads a span writes the span's trace data to `trace.parts`. The merger that owns the trace reads this data, and makes
  // the trace's row.
  { topic: 'spans.direct', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.overflow', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.staging', group: merger, legacy: nothing, dual: parts, events_only: nothing },
  // In events_only, the API rejects events of the legacy API. Events that the API accepted before the switch to events_only are still
  // merged.
  { topic: 'ingestion', group: merger, ...everywhere(['entities', 'trace.parts']) },
  { topic: 'trace.parts', group: merger, ...everywhere(['entities', 'trace.parts']) },
  // This topic contains merged legacy API events, and trace data merged from spans. In all modes, its records go to the old tables. The
  // ledger counts each record for both old tables, but a record becomes a row only in the table for its type (trace or observation).
  { topic: 'entities', group: writer, ...everywhere(merged) },
  { topic: 'scores', group: writer, ...everywhere(['scores']) },
  // In events_only, the API writes no run items. In every mode, the writer stores run items that were accepted in an earlier mode.
  { topic: 'run.items', group: writer, ...everywhere(['dataset_run_items_rmt']) },
  { topic: 'sdk.usage', group: writer, ...everywhere(['sdk_usage']) },
  { topic: 'ledger', group: ledger, ...everywhere(['ingest_ledger']) },
  // If a command deletes traces or a project, the merger deletes the entities of these traces or this project from its local state. The
  // flags of a trace go to the merger that owns the trace.
  { topic: 'commands', group: merger, ...everywhere(parts) },
  // The group `svc.deletions` deletes or changes rows. In addition, all writers and propagators read the whole topic, without a group.
  { topic: 'commands', group: deletions, ...everywhere(nothing) },
]

const isTable = (name: DestinationName | TopicName): name is DestinationName => destinationNames.some(table => table === name)

export const topicsOf = (group: GroupName): readonly TopicName[] => flows.filter(flow => flow.group === group).map(flow => flow.topic)

export const readersOf = (topic: TopicName): readonly GroupName[] => flows.filter(flow => flow.topic === topic).map(flow => flow.group)

/** Returns the topics whose records become rows of the table in this write mode. */
export const sourcesOf = (destination: DestinationName, writeMode: WriteMode): readonly TopicName[] =>
  flows.filter(flow => flow[writeMode].includes(destination)).map(flow => flow.topic)

export const isServed = (topic: string, group: GroupName, writeMode: WriteMode): boolean =>
  flows.some(flow => flow.topic === topic && flow.group === group && flow[writeMode].length > 0)

/** Computes the results for all topics and modes in advance, because every record needs them. */
const ofEachTopic = <Answer>(answerOf: (topic: TopicName, writeMode: WriteMode) => Answer) =>
  new Map(writeModes.map(mode => [mode, new Map<string, Answer>(Object.values(topicNames).map(topic => [topic, answerOf(topic, mode)]))]))

const atOnce = ofEachTopic((topic, writeMode) =>
  flows.filter(flow => flow.topic === topic).flatMap(flow => flow[writeMode].filter(isTable)),
)

/** Returns the tables to which the records are written without passing through another topic. */
export const tablesOf = (topic: string, writeMode: WriteMode): readonly DestinationName[] => atOnce.get(writeMode)!.get(topic) ?? []

const inTheEnd = ofEachTopic((topic, writeMode) =>
  topic === topicNames.staging ? [...tablesOf(topic, writeMode), ...tablesOf(topicNames.filled, writeMode)] : tablesOf(topic, writeMode),
)

/** Like `tablesOf`. For the staging topic, the result also has the tables that staged records reach through the topic `spans.filled`. */
export const tablesInTheEnd = (topic: string, writeMode: WriteMode): readonly DestinationName[] => inTheEnd.get(writeMode)!.get(topic) ?? []

/** True if the topic's records become rows in every write mode. Consumers of such a topic must not skip records. */
export const isAlwaysStored = (topic: string): boolean => writeModes.every(mode => tablesOf(topic, mode).length > 0)
