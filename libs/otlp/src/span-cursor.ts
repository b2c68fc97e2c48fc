// Reads an ExportTraceServiceRequest span by span. The scan, the mapping, and the code that divides requests use this cursor.
import { tooManyEnvelopes } from './row-budget.ts'
import { malformed, WireReader, wireType } from './wire.ts'

/** Field numbers of the envelope: request → ResourceSpans → ScopeSpans → Span. */
const resourceSpansField = 1
const innerField = 2
const ownerField = 1

/**
 * Iterates over the spans in wire order. `index` counts from 0. Ranges are `[start, end)` in `bytes`, and do not include the tag and the
 * length. An absent resource or scope has an empty range. The resource can come after its spans, because fields can be in any order. The
 * cursor therefore looks for the resource before it returns the first span. If a ResourceSpans has several resources, or a
 * ScopeSpans has several scopes, the cursor uses the last one.
 */
export class SpanCursor {
  readonly bytes: Uint8Array
  index = -1
  /** Data derived from a resource or scope can be reused until its index changes. */
  resourceIndex = -1
  scopeIndex = -1
  resourceStart = 0
  resourceEnd = 0
  scopeStart = 0
  scopeEnd = 0
  spanStart = 0
  spanEnd = 0
  /** Position of the span's tag. [spanTagAt, spanEnd) is the whole field, which can be copied into another ScopeSpans. */
  spanTagAt = 0
  /** The ranges of the enclosing ResourceSpans and ScopeSpans. */
  resourceSpansStart = 0
  resourceSpansEnd = 0
  scopeSpansStart = 0
  scopeSpansEnd = 0

  readonly #request = new WireReader()
  readonly #resourceSpans = new WireReader()
  readonly #scopeSpans = new WireReader()
  readonly #lookup = new WireReader()

  #envelopesLeft: number

  /**
   * `maxEnvelopes` limits the total number of ResourceSpans and ScopeSpans. Without this limit, a request could contain millions of empty
   * ResourceSpans of two bytes each.
   */
  constructor(bytes: Uint8Array, maxEnvelopes = Number.POSITIVE_INFINITY) {
    this.bytes = bytes
    this.#envelopesLeft = maxEnvelopes
    this.#request.open(bytes)
  }

  /**
   * Returns false after the last span.
   * @throws AppError body_undecodable when the envelope is malformed; body_too_large for too many ResourceSpans and ScopeSpans.
   */
  next(): boolean {
    for (;;) {
      const scope = this.#scopeSpans
      while (scope.next()) {
        if (scope.field !== innerField || scope.type !== wireType.length) continue
        this.index++
        this.spanTagAt = scope.tagAt
        this.spanStart = scope.start
        this.spanEnd = scope.stop
        return true
      }
      if (!this.#nextScope() && !this.#nextResource()) return false
    }
  }

  #nextScope(): boolean {
    const outer = this.#resourceSpans
    while (outer.next()) {
      if (outer.field !== innerField || outer.type !== wireType.length) continue
      if (--this.#envelopesLeft < 0) throw tooManyEnvelopes()
      this.scopeIndex++
      this.scopeSpansStart = outer.start
      this.scopeSpansEnd = outer.stop
      this.#scopeSpans.open(this.bytes, outer.start, outer.stop)
      this.#findOwner(outer.start, outer.stop)
      this.scopeStart = this.#lookup.start
      this.scopeEnd = this.#lookup.stop
      return true
    }
    return false
  }

  #nextResource(): boolean {
    const outer = this.#request
    while (outer.next()) {
      if (outer.field !== resourceSpansField || outer.type !== wireType.length) continue
      if (--this.#envelopesLeft < 0) throw tooManyEnvelopes()
      this.resourceIndex++
      this.resourceSpansStart = outer.start
      this.resourceSpansEnd = outer.stop
      this.#resourceSpans.open(this.bytes, outer.start, outer.stop)
      this.#findOwner(outer.start, outer.stop)
      this.resourceStart = this.#lookup.start
      this.resourceEnd = this.#lookup.stop
      return true
    }
    return false
  }

  /**
   * Finds the last field with the number 1, which contains the Resource or the InstrumentationScope. Stores the range of the field in
   * `#lookup`.
   */
  #findOwner(from: number, to: number): void {
    const reader = this.#lookup.open(this.bytes, from, to)
    let start = from
    let stop = from
    let step = reader.advance()
    for (; step === 1; step = reader.advance()) {
      if (reader.field !== ownerField || reader.type !== wireType.length) continue
      start = reader.start
      stop = reader.stop
    }
    if (step < 0) throw malformed(reader.fault, reader.at)
    reader.start = start
    reader.stop = stop
  }
}

/** Calls `visit` with the same cursor each time. Returns the number of spans. @throws AppError body_undecodable. */
export const forEachSpan = (bytes: Uint8Array, visit: (span: SpanCursor) => void): number => {
  const cursor = new SpanCursor(bytes)
  while (cursor.next()) visit(cursor)
  return cursor.index + 1
}
