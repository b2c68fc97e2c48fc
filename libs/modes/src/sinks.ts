// Which tables the writer fills from which topic (contract §3.1; architecture §§4–5). events_core is no sink: a view fills it from events_full.
import type { WriteMode } from './write-mode.ts'

/** Topics that the writer turns into rows. */
export const sources = ['spans.direct', 'spans.overflow', 'spans.staging', 'spans.filled', 'ingestion', 'scores'] as const
export type Source = (typeof sources)[number]

export type Sink = 'traces' | 'observations' | 'events_full' | 'scores'

const nothing: readonly Sink[] = []
const old: readonly Sink[] = ['traces', 'observations']
const events: readonly Sink[] = ['events_full']
const both: readonly Sink[] = [...old, ...events]
const scores: readonly Sink[] = ['scores']

const table: Readonly<Record<WriteMode, Readonly<Record<Source, readonly Sink[]>>>> = {
  legacy: {
    'spans.direct': old,
    'spans.overflow': old,
    'spans.staging': nothing,
    // Nothing is staged in this mode. What an earlier one staged was accepted for the events tables, and still goes there.
    'spans.filled': events,
    ingestion: old,
    scores,
  },
  dual: {
    'spans.direct': both,
    'spans.overflow': both,
    // Staged spans reach the events tables from spans.filled, after propagation.
    'spans.staging': old,
    'spans.filled': events,
    ingestion: old,
    scores,
  },
  events_only: {
    'spans.direct': events,
    'spans.overflow': events,
    'spans.staging': nothing,
    'spans.filled': events,
    // Refused by the endpoint, event by event.
    ingestion: nothing,
    scores,
  },
}

/** Tables that a topic's records are written to; empty when the writer does not read the topic in this mode. */
export const sinksFor = (writeMode: WriteMode, source: Source): readonly Sink[] => table[writeMode][source]

/** Topics that the writer has to read in a mode. */
export const sourcesFor = (writeMode: WriteMode): readonly Source[] => sources.filter(source => sinksFor(writeMode, source).length > 0)
