// Builds a request from some spans of a scanned request by copying ranges of bytes. The spans keep their resource and scope.
import { AppError } from '@svc-server/errors'
import {
  type Positions,
  resourceEnd,
  resourceStart,
  scopeEnd,
  scopeResource,
  scopeStart,
  spanEnd,
  spanScope,
  spanTagAt,
} from './positions.ts'
import { varintSize, WireReader, writeVarint } from './wire.ts'

/** Maximum size of a message's tag and length. */
const headerBytes = 6
const resourceSpansTag = 0x0a
const scopeSpansTag = 0x12
const repeatedField = 2

/** Indexes of spans, ascending. */
export type Picked = Uint32Array

export interface Assembler {
  /** Returns the maximum bytes that the span `index` adds to a request after the span `previous`. For the first span, `previous` is -1. */
  cost(index: number, previous: number): number
  /** Builds a request from the spans whose indexes are in `picked[from]` to `picked[to - 1]`, in this order. */
  assemble(picked: Picked, from: number, to: number): Uint8Array
}

export const createAssembler = (bytes: Uint8Array, positions: Positions): Assembler => {
  const scopeEnvelopes: Uint8Array[] = []
  const resourceEnvelopes: Uint8Array[] = []
  const ofScope = (scope: number): Uint8Array =>
    (scopeEnvelopes[scope] ??= envelope(bytes, scopeStart(positions, scope), scopeEnd(positions, scope)))
  const ofResource = (resource: number): Uint8Array =>
    (resourceEnvelopes[resource] ??= envelope(bytes, resourceStart(positions, resource), resourceEnd(positions, resource)))

  const cost = (index: number, previous: number): number => {
    let sum = spanEnd(positions, index) - spanTagAt(positions, index)
    const scope = spanScope(positions, index)
    const previousScope = previous < 0 ? -1 : spanScope(positions, previous)
    if (scope === previousScope) return sum
    sum += headerBytes + ofScope(scope).length
    const resource = scopeResource(positions, scope)
    return previousScope >= 0 && scopeResource(positions, previousScope) === resource
      ? sum
      : sum + headerBytes + ofResource(resource).length
  }

  // Writes the request from its end to its beginning. When the function writes a message's length, the message is therefore already
  // complete.
  const assemble = (picked: Picked, from: number, to: number): Uint8Array => {
    let size = 0
    for (let i = from; i < to; i++) size += cost(picked[i]!, i === from ? -1 : picked[i - 1]!)
    const target = new Uint8Array(size)
    let at = size
    const prepend = (part: Uint8Array): void => {
      at -= part.length
      target.set(part, at)
    }
    const header = (tag: number, end: number): void => {
      const length = end - at
      at -= 1 + varintSize(length)
      target[at] = tag
      writeVarint(target, at + 1, length)
    }
    let i = to - 1
    while (i >= from) {
      const resource = scopeResource(positions, spanScope(positions, picked[i]!))
      const resourceEndAt = at
      while (i >= from && scopeResource(positions, spanScope(positions, picked[i]!)) === resource) {
        const scope = spanScope(positions, picked[i]!)
        const scopeEndAt = at
        while (i >= from && spanScope(positions, picked[i]!) === scope) {
          const runEnd = spanEnd(positions, picked[i]!)
          let runStart = spanTagAt(positions, picked[i]!)
          // Adjacent spans are copied together.
          while (--i >= from && spanEnd(positions, picked[i]!) === runStart && spanScope(positions, picked[i]!) === scope)
            runStart = spanTagAt(positions, picked[i]!)
          prepend(bytes.subarray(runStart, runEnd))
        }
        prepend(ofScope(scope))
        header(scopeSpansTag, scopeEndAt)
      }
      prepend(ofResource(resource))
      header(resourceSpansTag, resourceEndAt)
    }
    return target.subarray(at)
  }

  return { cost, assemble }
}

/**
 * Returns the bytes of a ResourceSpans or ScopeSpans except its children. These bytes contain the resource or scope, the schema URL, and
 * the unknown fields.
 */
const envelope = (bytes: Uint8Array, start: number, end: number): Uint8Array => {
  const reader = new WireReader().open(bytes, start, end)
  const ranges: [number, number][] = []
  let length = 0
  while (reader.next()) {
    if (reader.field === repeatedField) continue
    const last = ranges.at(-1)
    if (last?.[1] === reader.tagAt) last[1] = reader.stop
    else ranges.push([reader.tagAt, reader.stop])
    length += reader.stop - reader.tagAt
  }
  const [only, another] = ranges
  if (only && !another) return bytes.subarray(only[0], only[1])
  const merged = new Uint8Array(length)
  let at = 0
  for (const [from, to] of ranges) {
    merged.set(bytes.subarray(from, to), at)
    at += to - from
  }
  return merged
}

/**
 * Throws if the parts of a request together exceed the limit. Every part repeats its resource, so many parts with a large resource would
 * take much memory.
 */
export const requireBoundedTotal = (bytes: Uint8Array, total: number, parts: number, maxTotal: number): void => {
  if (total > Math.max(maxTotal, bytes.length))
    throw new AppError(
      'body_too_large',
      `This request of ${bytes.length} bytes must be cut into ${parts} parts. The parts would have ${total} bytes, because each part repeats its resource and scope; ${maxTotal} bytes are allowed. Send fewer traces in a request, or a smaller resource.`,
      { bytes: bytes.length, parts, total, limit: maxTotal },
    )
}
