// The table of all data flows: which group reads which topic, and what becomes of the records (contract §3.1; contract §12.2;
// architecture §4). Topics retain records for the groups in this table, and destinations receive from the topics in it. The
// columns are the write mode of a record: the accepting process stamps it, and every reader follows the stamp. Every topic is
// therefore read in every mode, and a mode switch is exact while processes of both modes run.
import { type GroupName, groupNames, type TopicName, topicNames } from './names.ts'
import { type WriteMode, writeModes } from './write-mode.ts'

/** Tables that services insert into. events_core is missing, because a view fills it from events_full. */
const destinationNames = ['traces', 'observations', 'events_full', 'scores', 'dataset_run_items_rmt', 'sdk_usage', 'ingest_ledger'] as const
export type DestinationName = (typeof destinationNames)[number]

type Outcome = readonly (DestinationName | TopicName)[]

const nothing: Outcome = []
const observations: Outcome = ['observations']
/** A trace's row merges all of its spans, so only `entities` yields it. */
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
 * Two topics have no entry, because no group reads them: `trace.attributes`, which the propagator reads back as its changelog,
 * and `dead-letter`, which operators read.
 */
export const flows: readonly Flow[] = [
  { topic: 'spans.direct', group: writer, legacy: observations, dual: both, events_only: events },
  { topic: 'spans.overflow', group: writer, legacy: observations, dual: both, events_only: events },
  // Mode legacy stages nothing. Staged spans reach the events tables through spans.filled, after propagation. Entities among
  // them are marked as such: they yield no row at once, because the old tables receive them from `entities`.
  { topic: 'spans.staging', group: writer, legacy: nothing, dual: observations, events_only: nothing },
  { topic: 'spans.staging', group: propagator, ...everywhere(['spans.filled', 'trace.attributes', 'ledger']) },
  { topic: 'spans.filled', group: writer, ...everywhere(events) },
  // A trace's row merges all of its spans, so the data of each span record goes to the trace's owner.
  { topic: 'spans.direct', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.overflow', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.staging', group: merger, legacy: nothing, dual: parts, events_only: nothing },
  // In events_only the endpoint rejects these events one by one. Events that an earlier mode accepted are merged in every mode.
  { topic: 'ingestion', group: merger, ...everywhere(['entities', 'trace.parts']) },
  { topic: 'trace.parts', group: merger, ...everywhere(['entities', 'trace.parts']) },
  // Merged results of legacy API events and of spans' data about their traces. They are accepted for the old tables in every
  // mode. A record counts as an item of both tables and yields a row in the table of its type.
  { topic: 'entities', group: writer, ...everywhere(merged) },
  { topic: 'scores', group: writer, ...everywhere(['scores']) },
  // In events_only the endpoint writes no run items. Run items that an earlier mode accepted are stored in every mode.
  { topic: 'run.items', group: writer, ...everywhere(['dataset_run_items_rmt']) },
  { topic: 'sdk.usage', group: writer, ...everywhere(['sdk_usage']) },
  { topic: 'ledger', group: ledger, ...everywhere(['ingest_ledger']) },
  // Deletions also remove the merger's state; a trace's flag goes to the trace's owner.
  { topic: 'commands', group: merger, ...everywhere(parts) },
  // Deletes or changes rows. Every writer and propagator also reads the whole topic without a group.
  { topic: 'commands', group: deletions, ...everywhere(nothing) },
]

const isTable = (name: DestinationName | TopicName): name is DestinationName => destinationNames.some(table => table === name)

/** Topics that a group reads. */
export const topicsOf = (group: GroupName): readonly TopicName[] => flows.filter(flow => flow.group === group).map(flow => flow.topic)

/** Groups that read a topic. */
export const readersOf = (topic: TopicName): readonly GroupName[] => flows.filter(flow => flow.topic === topic).map(flow => flow.group)

/** Topics whose records of this mode become rows of a table. */
export const sourcesOf = (destination: DestinationName, writeMode: WriteMode): readonly TopicName[] =>
  flows.filter(flow => flow[writeMode].includes(destination)).map(flow => flow.topic)

/** Whether the group does anything with a topic's records of this mode. */
export const isServed = (topic: string, group: GroupName, writeMode: WriteMode): boolean =>
  flows.some(flow => flow.topic === topic && flow.group === group && flow[writeMode].length > 0)

/** Runs for every record, so the results are precomputed. */
const ofEachTopic = <Answer>(answerOf: (topic: TopicName, writeMode: WriteMode) => Answer) =>
  new Map(writeModes.map(mode => [mode, new Map<string, Answer>(Object.values(topicNames).map(topic => [topic, answerOf(topic, mode)]))]))

const atOnce = ofEachTopic((topic, writeMode) =>
  flows.filter(flow => flow.topic === topic).flatMap(flow => flow[writeMode].filter(isTable)),
)

/** Tables in which a topic's records of this mode get rows at once. */
export const tablesOf = (topic: string, writeMode: WriteMode): readonly DestinationName[] => atOnce.get(writeMode)!.get(topic) ?? []

const inTheEnd = ofEachTopic((topic, writeMode) =>
  topic === topicNames.staging ? [...tablesOf(topic, writeMode), ...tablesOf(topicNames.filled, writeMode)] : tablesOf(topic, writeMode),
)

/** Like `tablesOf`, but including the tables that staged records reach through spans.filled after their window. */
export const tablesInTheEnd = (topic: string, writeMode: WriteMode): readonly DestinationName[] => inTheEnd.get(writeMode)!.get(topic) ?? []

/** Whether records of every mode become rows, so that consumers must never skip any. */
export const isAlwaysStored = (topic: string): boolean => writeModes.every(mode => tablesOf(topic, mode).length > 0)
