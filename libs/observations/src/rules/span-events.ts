// The events of a span, read only by the rules that ask for one of a name they know.
import { microsOf, WireReader, wireType } from '@svc-server/otlp'
import { SpanReader } from '../span-view/span-reader.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { words } from './words.ts'

export const eventKinds = [
  'gen_ai.client.inference.operation.details',
  'gen_ai.system.message',
  'gen_ai.user.message',
  'gen_ai.assistant.message',
  'gen_ai.tool.message',
  'gen_ai.choice',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
  'First Token Stream Event',
] as const
export type EventKind = (typeof eventKinds)[number]

const kindOf = words<EventKind>(Object.fromEntries(eventKinds.map(kind => [kind, kind])))
const reader = new WireReader()

export interface SpanEvent {
  readonly kind: EventKind
  /** Microseconds since the epoch; 0: the client does not say. */
  readonly timeUs: number
  readonly start: number
  readonly end: number
}

/** The events of these kinds, in wire order. */
export function eventsOf(span: SpanView, kinds: readonly EventKind[]): readonly SpanEvent[] {
  const { events } = span
  const found: SpanEvent[] = []
  for (let i = 0; i < events.length; i += 2) {
    const event = readHead(span, events[i]!, events[i + 1]!)
    if (event !== undefined && kinds.includes(event.kind)) found.push(event)
  }
  return found
}

function readHead(span: SpanView, start: number, end: number): SpanEvent | undefined {
  const { source } = span
  let kind: EventKind | undefined
  let timeUs = 0
  reader.open(source.bytes, start, end)
  let step = reader.advance()
  for (; step === 1; step = reader.advance()) {
    if (reader.field === 2 && reader.type === wireType.length) kind = kindOf(source, reader.start, reader.stop)
    else if (reader.field === 1 && reader.type === wireType.fixed64) {
      timeUs = microsOf(source.view.getUint32(reader.start, true), source.view.getUint32(reader.start + 4, true))
    }
  }
  return step < 0 || kind === undefined ? undefined : { kind, timeUs, start, end }
}

const views = new WeakMap<SpanView, SpanReader>()

/** The event with its attributes as a span's, so that every rule may be asked about it. The same object for all events of a span. */
export function viewOf(span: SpanView, { kind, start, end }: SpanEvent): SpanView | undefined {
  let view = views.get(span)
  if (view === undefined) views.set(span, (view = new SpanReader(span.attributes.table, span.losses)))
  span.trail?.use(`event ${kind}`)
  if (view.readEvent(span, start, end)) return view
  span.losses.add('unreadable_event')
  return undefined
}
