// Who reads which topic, and what becomes of its records (contract §3.1; contract §12.2; architecture §4).
// The one table: topics hold retention for the groups that it names, destinations are fed from what it names.
// Each column is the mode of a record: the process that accepted it has stamped it, and whoever reads it
// serves the stamp. So every topic is read in every mode, and a switch is exact while processes of both modes
// run.
import { type GroupName, groupNames, type TopicName, topicNames } from './names.ts'
import { type WriteMode, writeModes } from './write-mode.ts'

/** Tables that are inserted into. events_core is none: a view fills it from events_full. */
const destinationNames = ['traces', 'observations', 'events_full', 'scores', 'dataset_run_items_rmt', 'sdk_usage', 'ingest_ledger'] as const
export type DestinationName = (typeof destinationNames)[number]

type Outcome = readonly (DestinationName | TopicName)[]

const nothing: Outcome = []
const observations: Outcome = ['observations']
/** A trace's row is merged from all of its spans: only `entities` has it. */
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
 * Without a line: `trace.attributes`, which the propagator reads back as its changelog, and `dead-letter`, which operators read; neither of
 * them by a group.
 */
export const flows: readonly Flow[] = [
  { topic: 'spans.direct', group: writer, legacy: observations, dual: both, events_only: events },
  { topic: 'spans.overflow', group: writer, legacy: observations, dual: both, events_only: events },
  // Nothing is staged in legacy mode. Staged spans reach the events tables from spans.filled, after
  // propagation. Entities lie among them, which a record says of itself: those have no row at once, the old
  // tables have them from `entities`.
  { topic: 'spans.staging', group: writer, legacy: nothing, dual: observations, events_only: nothing },
  { topic: 'spans.staging', group: propagator, ...everywhere(['spans.filled', 'trace.attributes', 'ledger']) },
  { topic: 'spans.filled', group: writer, ...everywhere(events) },
  // Rows of traces are merged from all spans of a trace: what a record of spans says goes to who owns the trace.
  { topic: 'spans.direct', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.overflow', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.staging', group: merger, legacy: nothing, dual: parts, events_only: nothing },
  // On events_only the endpoint refuses these events, one by one. What an earlier mode accepted is merged in every mode.
  { topic: 'ingestion', group: merger, ...everywhere(['entities', 'trace.parts']) },
  { topic: 'trace.parts', group: merger, ...everywhere(['entities', 'trace.parts']) },
  // What events of the legacy API, and what spans say of their traces, were merged to: accepted for the old
  // tables, whoever reads it. A record is an item of both tables, and has its rows in the one of its type.
  { topic: 'entities', group: writer, ...everywhere(merged) },
  { topic: 'scores', group: writer, ...everywhere(['scores']) },
  // On events_only the endpoint writes nothing. What an earlier mode accepted is stored in every mode.
  { topic: 'run.items', group: writer, ...everywhere(['dataset_run_items_rmt']) },
  { topic: 'sdk.usage', group: writer, ...everywhere(['sdk_usage']) },
  { topic: 'ledger', group: ledger, ...everywhere(['ingest_ledger']) },
  // What is deleted goes from the state of who merges; a flag of a trace goes to who has the trace.
  { topic: 'commands', group: merger, ...everywhere(parts) },
  // Rows go, or change; and every writer and propagator reads it whole, without a group.
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

/** Whether anything becomes of a topic's records of this mode by what the group does. */
export const isServed = (topic: string, group: GroupName, writeMode: WriteMode): boolean =>
  flows.some(flow => flow.topic === topic && flow.group === group && flow[writeMode].length > 0)

/** Asked for every record, so it is answered from a table. */
const ofEachTopic = <Answer>(answerOf: (topic: TopicName, writeMode: WriteMode) => Answer) =>
  new Map(writeModes.map(mode => [mode, new Map<string, Answer>(Object.values(topicNames).map(topic => [topic, answerOf(topic, mode)]))]))

const atOnce = ofEachTopic((topic, writeMode) =>
  flows.filter(flow => flow.topic === topic).flatMap(flow => flow[writeMode].filter(isTable)),
)

/** Tables that a topic's records of this mode become rows of: at once. */
export const tablesOf = (topic: string, writeMode: WriteMode): readonly DestinationName[] => atOnce.get(writeMode)!.get(topic) ?? []

const inTheEnd = ofEachTopic((topic, writeMode) =>
  topic === topicNames.staging ? [...tablesOf(topic, writeMode), ...tablesOf(topicNames.filled, writeMode)] : tablesOf(topic, writeMode),
)

/** The same for what has been staged: at once, and from spans.filled after its window. */
export const tablesInTheEnd = (topic: string, writeMode: WriteMode): readonly DestinationName[] => inTheEnd.get(writeMode)!.get(topic) ?? []

/** Records of every mode become rows: none of them may be passed over. */
export const isAlwaysStored = (topic: string): boolean => writeModes.every(mode => tablesOf(topic, mode).length > 0)
