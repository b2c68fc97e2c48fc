// Who reads which topic, and what becomes of it, in each write mode (contract §3.1; architecture §4). The one table: topics hold
// retention for the groups that it names, the writer subscribes to what it names, destinations are fed from what it names.
import { type GroupName, groupNames, type TopicName } from './names.ts'
import type { WriteMode } from './write-mode.ts'

/** Tables that are inserted into. events_core is none: a view fills it from events_full. */
export type DestinationName = 'traces' | 'observations' | 'events_full' | 'scores' | 'ingest_ledger'

type Outcome = readonly (DestinationName | TopicName)[]

const nothing: Outcome = []
/** A trace's row is merged from all of its spans: only `entities` has it. */
const old: Outcome = ['observations']
const merged: Outcome = ['traces', 'observations']
const events: Outcome = ['events_full']
const parts: Outcome = ['trace.parts']
const both: Outcome = [...old, ...events]
const everywhere = (outcome: Outcome) => ({ legacy: outcome, dual: outcome, events_only: outcome })

export interface Flow extends Readonly<Record<WriteMode, Outcome>> {
  readonly topic: TopicName
  /** Consumer group. Where nothing becomes of a topic in a mode, the group does not read it there: it would hold the topic for ever. */
  readonly group: GroupName
}

const { writer, propagator, merger, ledger } = groupNames

/**
 * Without a line: `trace.attributes`, which the propagator reads back as its changelog, `commands`, which every writer and propagator
 * reads whole, and `dead-letter`, which operators read; none of them by a group.
 */
export const flows: readonly Flow[] = [
  { topic: 'spans.direct', group: writer, legacy: old, dual: both, events_only: events },
  { topic: 'spans.overflow', group: writer, legacy: old, dual: both, events_only: events },
  // Staged spans reach the events tables from spans.filled, after propagation.
  { topic: 'spans.staging', group: writer, legacy: nothing, dual: old, events_only: nothing },
  // Who brings staged spans on does so in every mode: what an earlier mode left must not wait for a reader that never comes.
  { topic: 'spans.staging', group: propagator, ...everywhere(['spans.filled', 'trace.attributes', 'ledger']) },
  // Nothing is staged in legacy mode. What an earlier one staged was accepted for the events tables, and still goes there.
  { topic: 'spans.filled', group: writer, ...everywhere(events) },
  // Rows of traces are merged from all spans of a trace: what a record of spans says goes to who owns the trace.
  { topic: 'spans.direct', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.overflow', group: merger, legacy: parts, dual: parts, events_only: nothing },
  { topic: 'spans.staging', group: merger, legacy: nothing, dual: parts, events_only: nothing },
  // On events_only the endpoint refuses these events, one by one. What an earlier mode accepted is merged in every mode.
  { topic: 'ingestion', group: merger, ...everywhere(['entities', 'trace.parts']) },
  { topic: 'trace.parts', group: merger, ...everywhere(['entities', 'trace.parts']) },
  // What the events were merged to.
  { topic: 'entities', group: writer, legacy: merged, dual: merged, events_only: nothing },
  { topic: 'scores', group: writer, ...everywhere(['scores']) },
  { topic: 'ledger', group: ledger, ...everywhere(['ingest_ledger']) },
]

const isRead = (flow: Flow, writeMode: WriteMode) => flow[writeMode].length > 0

/** Topics that a group reads in a mode. */
export const sourcesFor = (group: GroupName, writeMode: WriteMode): readonly TopicName[] =>
  flows.filter(flow => flow.group === group && isRead(flow, writeMode)).map(flow => flow.topic)

/** Topics whose records become rows of a table in a mode. */
export const sourcesOf = (destination: DestinationName, writeMode: WriteMode): readonly TopicName[] =>
  flows.filter(flow => flow[writeMode].includes(destination)).map(flow => flow.topic)

/** Tables and topics that a group writes in a mode. */
export const outcomesFor = (group: GroupName, writeMode: WriteMode): Outcome => [
  ...new Set(flows.filter(flow => flow.group === group).flatMap(flow => flow[writeMode])),
]

/** Groups that read a topic in a mode. */
export const readersOf = (topic: TopicName, writeMode: WriteMode): readonly GroupName[] =>
  flows.filter(flow => flow.topic === topic && isRead(flow, writeMode)).map(flow => flow.group)
