// Reads each span as an event of its trace. The rows of the table `traces` are made from these events (contract §10.14). An
// event is identified by the position of its span on the log.
import type { SpanTraceEvent } from '@svc-server/observations/trace/span-event'
import { createSpanEventReader, type SpanEventReaderOptions, type SpanEventReading } from '@svc-server/observations/trace/span-event-reader'
import { createJoining, type Joining } from './joining.ts'
import type { EntityState } from './state.ts'
import { Statement } from './statement.ts'

interface SpanParts {
  /** For each trace id, the state that the record's spans give to the trace. */
  readonly traces: ReadonlyMap<string, EntityState>
  readonly reading: SpanEventReading
}

export interface SpanPartsReader {
  /** `provenance` is topic/partition/offset. An invalid record does not make this function throw. */
  read(value: Uint8Array, provenance: string): SpanParts
}

export function createSpanParts(options: SpanEventReaderOptions = {}): SpanPartsReader {
  const reader = createSpanEventReader(options)
  return {
    read(value, provenance) {
      const traces = new Map<string, Joining>()
      const reading = reader.read(value, (traceId, event, receivedAtMs) => {
        let known = traces.get(traceId)
        if (known === undefined) traces.set(traceId, (known = createJoining()))
        if (!known.some(part => addsNothing(part, event))) known.add(stateOfSpanEvent(event, provenance, receivedAtMs))
      })
      return { traces: new Map([...traces].map(([traceId, said]) => [traceId, said.joined()])), reading }
    },
  }
}

/**
 * True if the span's event does not change the state. This is frequent: most spans contribute only their start time, and a start time
 * changes nothing if the trace has an earlier span.
 */
const addsNothing = ({ fields, firstMs }: EntityState, event: SpanTraceEvent): boolean =>
  !event.isFull &&
  !event.isParentless &&
  firstMs !== null &&
  firstMs * 1000 < event.startUs &&
  (event.environment === undefined || isEarlier(fields, event))

function isEarlier(fields: EntityState['fields'], { startUs }: SpanTraceEvent): boolean {
  const said = fields.get('environment')
  return said !== undefined && said.by.atUs < startUs
}

function stateOfSpanEvent(event: SpanTraceEvent, provenance: string, receivedAtMs: number): EntityState {
  const { index, startUs, isParentless, spanId, environment } = event
  const said = new Statement({ atUs: startUs, update: false, id: `${provenance}#${index}`, hash: '' })
  said.say('timestampMs', String(Math.floor(startUs / 1000)))
  said.say('environment', environment)
  said.say('name', event.name)
  said.say('userId', event.userId)
  said.say('sessionId', event.sessionId)
  said.say('release', event.release)
  said.say('version', event.version)
  if (event.public !== undefined) said.say('public', String(event.public))
  said.content('input', event.input)
  said.content('output', event.output)
  said.tags(event.tags)
  said.metadata(event.metadata)
  return said.state({ createdMs: receivedAtMs, legacy: false, root: isParentless ? { startUs, spanId } : null })
}
