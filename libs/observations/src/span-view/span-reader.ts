// Reads spans from the wire into the view that rules and columns use.
import { sourceOf } from '@svc-server/column-store/native'
import { attributeShape, createNestingCheck } from '@svc-server/otlp/nesting'
import type { RejectReason } from '@svc-server/otlp/rejection'
import type { SpanCursor } from '@svc-server/otlp/span-cursor'
import { isZero, microsOf, shortLength, WireReader, wireType } from '@svc-server/otlp/wire'
import { valueKind } from './any-value.ts'
import type { AttributeIndex } from './attribute-store.ts'
import { wireText } from './json-text.ts'
import { keyNumber } from './keys.ts'
import './resource-keys.ts'
import { isSdkScope, sdkEncodesMetadata } from './sdk-version.ts'
import { type RecordContext, SpanView } from './span-view.ts'

const longestName = 256
/** Tag of field 9, length-delimited. */
const attributeTag = 0x4a
const maxGapSlots = 1_000_000
/**
 * Returns the limit of empty list slots that the keys of a record may create: the maximum length of one list, plus one slot per byte of the
 * record, and at most `maxGapSlots`. For example, a key with the index 100 can create 100 empty slots.
 */
const gapSlotsOf = (recordBytes: number): number => Math.min(maxGapSlots, 10_001 + recordBytes)

const languageKey = keyNumber('telemetry.sdk.language')

/** The resource's `telemetry.sdk.language`. */
export function languageOf({ resource, attributes, source }: SpanView): string {
  const entry = resource.get(languageKey)
  if (entry < 0 || attributes.kinds[entry] !== valueKind.text) return ''
  return wireText(source, attributes.starts[entry]!, attributes.ends[entry]!)
}

const compare = Buffer.prototype.compare as unknown as (
  this: Uint8Array,
  other: Uint8Array,
  otherStart: number,
  otherEnd: number,
  start: number,
  end: number,
) => number

/** Remembers a range, and detects whether another range has the same bytes. */
class LastRange {
  #start = -1
  #end = -1

  forget(): void {
    this.#start = this.#end = -1
  }

  set(start: number, end: number): void {
    this.#start = start
    this.#end = end
  }

  holds(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#start < 0 || end - start !== this.#end - this.#start) return false
    return compare.call(bytes, bytes, start, end, this.#start, this.#end) === 0
  }
}

export class SpanReader extends SpanView {
  /** Why the last `read` failed. */
  reason: RejectReason = 'malformed'
  message = ''

  readonly #reader = new WireReader()
  readonly #status = new WireReader()
  readonly #nesting = createNestingCheck()
  readonly #lastResource = new LastRange()
  readonly #lastScope = new LastRange()

  openRecord(context: RecordContext): void {
    this.context = context
    this.source = context.source
    this.gapSlots = gapSlotsOf(context.source.bytes.length)
    this.#lastResource.forget()
    this.#lastScope.forget()
  }

  /**
   * Reads resource and scope of the span at the cursor. Returns false if the resource or the scope is malformed. A Collector that combines
   * several requests into a batch repeats the resource for each of these requests. A resource with the same bytes as the previous resource
   * is therefore not read again. A scope of this resource is not read again, either, if it has the same bytes as the previous scope.
   */
  readOwners(cursor: SpanCursor, newResource: boolean): boolean {
    const { bytes } = this.source
    const sameResource = !newResource || this.#lastResource.holds(bytes, cursor.resourceStart, cursor.resourceEnd)
    if (sameResource && this.#lastScope.holds(bytes, cursor.scopeStart, cursor.scopeEnd)) return true
    this.#lastScope.forget()
    if (!sameResource) {
      this.#lastResource.forget()
      this.resourceGeneration++
      this.resource.clear()
      this.attributes.truncate(0)
      if (!this.#readResource(cursor.resourceStart, cursor.resourceEnd)) return false
      this.resourceCount = this.attributes.length
      this.#lastResource.set(cursor.resourceStart, cursor.resourceEnd)
    }
    this.scopeGeneration++
    this.scope.clear()
    this.attributes.truncate(this.resourceCount)
    if (!this.#readScope(cursor.scopeStart, cursor.scopeEnd)) return false
    this.ownFrom = this.attributes.length
    this.scopeName = this.#shortText(this.scopeNameStart, this.scopeNameEnd)
    this.#nameScope()
    this.scopeVersion = this.#shortText(this.scopeVersionStart, this.scopeVersionEnd)
    const { scopeName, scopeVersion } = this
    this.sdkScope = isSdkScope(scopeName)
    this.jsonMetadata = sdkEncodesMetadata({ batch: this.context.batch, scopeName, scopeVersion, language: languageOf(this) })
    this.#lastScope.set(cursor.scopeStart, cursor.scopeEnd)
    return true
  }

  #nameScope(): void {
    const { brand } = this.attributes.table
    this.scopeNameSource = this.source
    if (!brand.aliased) return
    const ours = brand.name(this.scopeName)
    if (ours === this.scopeName) return
    this.scopeName = ours
    this.scopeNameSource = sourceOf(ours)
    this.scopeNameStart = 0
    this.scopeNameEnd = this.scopeNameSource.bytes.length
  }

  #shortText(start: number, end: number): string {
    return end > start && end - start <= longestName ? wireText(this.source, start, end) : ''
  }

  #readResource(start: number, end: number): boolean {
    this.dropped.resource = 0
    const reader = this.#reader.open(this.source.bytes, start, end)
    let step = reader.advance()
    for (; step === 1; step = reader.advance()) {
      if (reader.field === 1 && reader.type === wireType.length && !this.#add(reader.start, reader.stop, this.resource)) return false
      if (reader.field === 2 && reader.type === wireType.varint) this.dropped.resource = reader.uint32()
    }
    return step === 0 || this.#fail('malformed', `The resource is malformed: ${reader.fault}.`)
  }

  #readScope(start: number, end: number): boolean {
    this.scopeNameStart = this.scopeNameEnd = this.scopeVersionStart = this.scopeVersionEnd = 0
    this.dropped.scope = 0
    const reader = this.#reader.open(this.source.bytes, start, end)
    let step = reader.advance()
    for (; step === 1; step = reader.advance()) {
      if (reader.field === 4 && reader.type === wireType.varint) this.dropped.scope = reader.uint32()
      if (reader.type !== wireType.length) continue
      if (reader.field === 1) {
        this.scopeNameStart = reader.start
        this.scopeNameEnd = reader.stop
      } else if (reader.field === 2) {
        this.scopeVersionStart = reader.start
        this.scopeVersionEnd = reader.stop
      } else if (reader.field === 3 && !this.#add(reader.start, reader.stop, this.scope)) return false
    }
    return step === 0 || this.#fail('malformed', `The instrumentation scope is malformed: ${reader.fault}.`)
  }

  #add(start: number, end: number, index: AttributeIndex): boolean {
    const { attributes, source } = this
    if (!attributes.add(source, start, end, index)) return this.#fail('malformed', 'An attribute is malformed.')
    // Lists and maps are checked here, so that rules can read them without checks.
    const kind = attributes.kind
    if ((kind === valueKind.array || kind === valueKind.map) && !this.#nesting.check(source.bytes, start, end, attributeShape)) {
      return this.#fail(this.#nesting.fault, `An attribute is not readable at byte ${this.#nesting.position}: ${this.#nesting.what}.`)
    }
    return true
  }

  #fail(reason: RejectReason, message: string): false {
    this.reason = reason
    this.message = message
    return false
  }

  /** Reads the span in the byte range `[from, to)`. If the span cannot become a row, returns false, and sets `reason` and `message`. */
  read(index: number, from: number, to: number): boolean {
    const { bytes, view } = this.source
    this.#forgetSpan(this.ownFrom)
    this.index = index
    this.wireBytes = to - from
    this.end = to
    let traceIdBytes = 0
    let spanIdBytes = 0
    let parentBytes = 0
    let startUs = 0
    let endUs = 0
    const reader = this.#reader.open(bytes, from, to)
    let step: -1 | 0 | 1 = 1
    for (;;) {
      if (!this.#readAttributes()) return false
      step = reader.advance()
      if (step !== 1) break
      const { start, stop } = reader
      if (reader.type === wireType.length) {
        switch (reader.field) {
          case 9:
            if (!this.#add(start, stop, this.own)) return false
            break
          case 1:
            this.traceId = start
            traceIdBytes = stop - start
            break
          case 2:
            this.spanId = start
            spanIdBytes = stop - start
            break
          case 4:
            this.parentSpanId = start
            parentBytes = stop - start
            break
          case 5:
            this.nameStart = start
            this.nameEnd = stop
            break
          case 11:
            this.events.push(start, stop)
            break
          case 13:
            this.links.push(start, stop)
            break
          case 15:
            if (!this.#readStatus(start, stop)) return false
            break
        }
      } else if (reader.type === wireType.fixed64) {
        if (reader.field === 7) startUs = microsOf(view.getUint32(start, true), view.getUint32(start + 4, true))
        else if (reader.field === 8) endUs = microsOf(view.getUint32(start, true), view.getUint32(start + 4, true))
      } else if (reader.type === wireType.varint) this.dropped.readSpanField(reader)
    }
    if (step < 0) return this.#fail('malformed', `The span is malformed protobuf at byte ${reader.at}: ${reader.fault}.`)
    if (traceIdBytes !== 16 || isZero(bytes, this.traceId, this.traceId + 16))
      return this.#fail('trace_id_invalid', 'The trace id is not 16 bytes.')
    if (spanIdBytes !== 8 || isZero(bytes, this.spanId, this.spanId + 8))
      return this.#fail('span_id_invalid', 'The span id is not 8 bytes.')
    if (parentBytes === 0) this.parentSpanId = -1
    else if (parentBytes !== 8) return this.#fail('parent_span_id_invalid', 'The parent span id is not 8 bytes.')
    // Some exporters send an id of zeros for a missing parent.
    else if (isZero(bytes, this.parentSpanId, this.parentSpanId + 8)) this.parentSpanId = -1
    return this.#setTimes(startUs, endUs)
  }

  /** Clears all data of the previous span. The next span can belong to another project, and must not get any of this data. */
  #forgetSpan(ownFrom: number): void {
    const { attributes } = this
    this.leftOut.clear()
    this.moved.clear()
    this.parsed.clear()
    this.parsedOutput = undefined
    this.input.clear()
    this.output.clear()
    this.modelName.clear()
    this.modelParameters.clear()
    if (this.events.length > 0) this.events.length = 0
    if (this.links.length > 0) this.links.length = 0
    this.dropped.clearSpan()
    this.own.clear()
    attributes.truncate(ownFrom)
    attributes.seenFlags = 0
    this.parentSpanId = -1
    this.nameStart = this.nameEnd = 0
    this.statusCode = 0
    this.statusMessageStart = this.statusMessageEnd = 0
    this.failed = false
    this.usageIsEstimated = false
    this.type = 'SPAN'
  }

  /** Reads consecutive attributes in the most common encoding: each length is a number of at most three bytes. */
  #readAttributes(): boolean {
    const reader = this.#reader
    const { bytes, end } = reader
    let { at } = reader
    while (at < end && bytes[at] === attributeTag) {
      const length = shortLength(bytes, at + 1)
      const start = at + 1 + (length & 3)
      const stop = start + (length >> 2)
      if (length < 0 || stop > end) break
      if (!this.#add(start, stop, this.own)) return false
      at = stop
    }
    reader.at = at
    return true
  }

  /**
   * If only one of the two times is missing, the reader copies the other time. If both are missing, both become the receipt time
   * (architecture §5).
   */
  #setTimes(startUs: number, endUs: number): boolean {
    const { receivedUs } = this.context
    this.startUs = startUs !== 0 ? startUs : endUs !== 0 ? endUs : receivedUs
    this.endUs = endUs !== 0 ? endUs : this.startUs
    return true
  }

  /**
   * Reads the attributes of an event, as if the event were a span. `of` is the span that has the event. Returns false if the event is
   * malformed. `eventsOf` reads the event's name and time.
   */
  readEvent(of: SpanView, start: number, end: number): boolean {
    this.#forgetSpan(0)
    this.context = of.context
    this.source = of.source
    this.index = of.index
    this.scopeName = of.scopeName
    this.scopeVersion = of.scopeVersion
    this.sdkScope = of.sdkScope
    this.jsonMetadata = of.jsonMetadata
    const reader = this.#reader.open(this.source.bytes, start, end)
    let step = reader.advance()
    for (; step === 1; step = reader.advance()) {
      if (reader.field === 3 && reader.type === wireType.length && !this.#add(reader.start, reader.stop, this.own)) return false
    }
    return step === 0
  }

  #readStatus(start: number, end: number): boolean {
    const reader = this.#status.open(this.source.bytes, start, end)
    let step = reader.advance()
    for (; step === 1; step = reader.advance()) {
      if (reader.field === 2 && reader.type === wireType.length) {
        this.statusMessageStart = reader.start
        this.statusMessageEnd = reader.stop
      } else if (reader.field === 3 && reader.type === wireType.varint) this.statusCode = reader.uint32()
    }
    return step === 0 || this.#fail('malformed', `The status is malformed: ${reader.fault}.`)
  }
}
