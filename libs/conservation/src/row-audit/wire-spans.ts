// Reads the spans of an ExportTraceServiceRequest. This module shares no code with the mapping, so that the audit can detect omissions of
// the mapping. The audit includes a span even if the bytes after the span's ids are malformed.

const request = { resourceSpans: 1, scopeSpans: 2, spans: 2 } as const
const span = { traceId: 1, spanId: 2, startTime: 7, endTime: 8 } as const
const wire = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const

export interface WireSpan {
  /** Positions of the trace id (16 bytes) and the span id (8 bytes); -1 if the id is absent or has another length. */
  readonly traceIdAt: number
  readonly spanIdAt: number
  /** Microseconds since the epoch, rounded down; 0 if missing. */
  readonly startUs: number
  readonly endUs: number
}

class MalformedMessage extends Error {}

interface Field {
  readonly number: number
  readonly type: number
  /** bytes[from, to). */
  readonly from: number
  readonly to: number
}

/** Calls `visit` in wire order, until the bytes end or are malformed. Returns false if the bytes are malformed. */
export function forEachWireSpan(bytes: Uint8Array, visit: (found: WireSpan) => void): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    for (const resource of messages(bytes, 0, bytes.length, request.resourceSpans)) {
      for (const scope of messages(bytes, resource.from, resource.to, request.scopeSpans)) {
        for (const one of messages(bytes, scope.from, scope.to, request.spans)) visit(readSpan(bytes, view, one))
      }
    }
    return true
  } catch (error) {
    if (error instanceof MalformedMessage) return false
    throw error
  }
}

function readSpan(bytes: Uint8Array, view: DataView, { from, to }: Field): WireSpan {
  const found = { traceIdAt: -1, spanIdAt: -1, startUs: 0, endUs: 0 }
  try {
    for (const { number, type, from: at, to: end } of fields(bytes, from, to)) {
      if (type === wire.bytes && number === span.traceId) found.traceIdAt = end - at === 16 ? at : -1
      else if (type === wire.bytes && number === span.spanId) found.spanIdAt = end - at === 8 ? at : -1
      else if (type === wire.fixed64 && number === span.startTime) found.startUs = microsAt(view, at)
      else if (type === wire.fixed64 && number === span.endTime) found.endUs = microsAt(view, at)
    }
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error
  }
  return found
}

const microsAt = (view: DataView, at: number): number => Number(view.getBigUint64(at, true) / 1000n)

function* messages(bytes: Uint8Array, from: number, to: number, number: number): Generator<Field> {
  for (const field of fields(bytes, from, to)) if (field.number === number && field.type === wire.bytes) yield field
}

/** Fields within groups are skipped. */
function* fields(bytes: Uint8Array, from: number, to: number): Generator<Field> {
  let depth = 0
  for (let at = from; at < to; ) {
    const [tag, valueAt] = varint(bytes, at, to)
    const type = tag % 8
    const number = Math.floor(tag / 8)
    let start = valueAt
    let end = valueAt
    if (type === wire.varint) end = varint(bytes, valueAt, to)[1]
    else if (type === wire.fixed64) end += 8
    else if (type === wire.fixed32) end += 4
    else if (type === wire.bytes) {
      const [length, contentAt] = varint(bytes, valueAt, to)
      start = contentAt
      end = contentAt + length
    } else if (type === wire.groupStart) depth += 1
    else if (type === wire.groupEnd) depth -= 1
    else throw new MalformedMessage()
    if (end > to || number === 0 || depth < 0) throw new MalformedMessage()
    if (depth === 0 && type !== wire.groupEnd) yield { number, type, from: start, to: end }
    at = end
  }
  if (depth > 0) throw new MalformedMessage()
}

/** Values above 2^53 are rounded. */
function varint(bytes: Uint8Array, from: number, to: number): readonly [value: number, end: number] {
  let value = 0
  let scale = 1
  for (let at = from; at < to && at < from + 10; at++, scale *= 128) {
    const byte = bytes[at]!
    value += (byte % 128) * scale
    if (byte < 128) return [value, at + 1]
  }
  throw new MalformedMessage()
}
