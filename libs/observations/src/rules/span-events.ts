// The events of a span. An event is parsed only if a rule uses its name.
import { microsOf, WireReader, wireType } from '@svc-server/otlp/wire'
import { SpanReader } from '../span-view/span-reader.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { type Words, words } from './words.ts'

const known = new Set<string>()

export function eventKinds<const Kind extends string>(...kinds: readonly Kind[]): Words<Kind> {
  for (const kind of kinds) known.add(kind)
  return words<Kind>(Object.fromEntries(kinds.map(kind => [kind, kind])) as Record<string, Kind>)
}

/** Event names of all dialects. */
export const knownEvents = (): readonly string[] => [...known]

const reader = new WireReader()

export interface SpanEvent<Kind extends string = string> {
  readonly kind: Kind
  /** Microseconds since the epoch; 0 if the client sent no time. */
  readonly timeUs: number
  readonly start: number
  readonly end: number
}

/** Returns the events in the order in which they were sent. */
export function eventsOf<Kind extends string>(span: SpanView, kinds: Words<Kind>): readonly SpanEvent<Kind>[] {
  const { events } = span
  const found: SpanEvent<Kind>[] = []
  for (let i = 0; i < events.length; i += 2) {
    const event = readHead(span, kinds, events[i]!, events[i + 1]!)
    if (event !== undefined) found.push(event)
  }
  return found
}

function readHead<Kind extends string>(span: SpanView, kinds: Words<Kind>, start: number, end: number): SpanEvent<Kind> | undefined {
  const { source } = span
  let kind: Kind | undefined
  let timeUs = 0
  reader.open(source.bytes, start, end)
  let step = reader.advance()
  for (; step === 1; step = reader.advance()) {
    if (reader.field === 2 && reader.type === wireType.length) kind = kinds(source, reader.start, reader.stop)
    else if (reader.field === 1 && reader.type === wireType.fixed64) {
      timeUs = microsOf(source.view.getUint32(reader.start, true), source.view.getUint32(reader.start + 4, true))
    }
  }
  return step < 0 || kind === undefined ? undefined : { kind, timeUs, start, end }
}

const views = new WeakMap<SpanView, SpanReader>()

/**
 * Returns a view that shows an event as a span with the event's attributes, so that every rule can read the event. All events of a span
 * share one view, so each call changes the view that the previous call for the span returned.
 */
export function viewOf(span: SpanView, { kind, start, end }: SpanEvent): SpanView | undefined {
  let view = views.get(span)
  if (view === undefined) views.set(span, (view = new SpanReader(span.attributes.table, span.losses)))
  span.explanation?.use(`event ${kind}`)
  if (view.readEvent(span, start, end)) return view
  span.losses.add('unreadable_event')
  return undefined
}
