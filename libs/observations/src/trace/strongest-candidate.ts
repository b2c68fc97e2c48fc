// Keeps the strongest candidate for one trace attribute among the spans of a record. A candidate is stored as a position in the record, so
// only the strongest candidate becomes a string.
import type { TraceCandidate, TraceField } from '@svc-server/schema/trace-candidates'
import { Content } from '../span-view/content.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { strength } from './join.ts'
import { compareText } from './text-order.ts'

const idBytes = 8
const latestNs = 2n ** 64n - 1n

export class StrongestCandidate {
  /** The value of the current span. This value replaces the kept value only if `keep` accepts it. */
  next = new Content()
  #kept = new Content()
  #present = false
  #root = false
  #explicit = false
  #strength = 0
  #startUs = 0
  /** Position in the request at which the id of the kept candidate's span begins. */
  #spanId = 0
  readonly #field: TraceField

  constructor(field: TraceField) {
    this.#field = field
  }

  clear(): void {
    this.#present = false
  }

  /** Returns false if the kept candidate is stronger. Call `takes` before you read the span's value: a weaker value need not be read. */
  takes(span: SpanView, root: boolean, explicit: boolean): boolean {
    if (!this.#present) return true
    const difference = strength(this.#field, root, explicit) - this.#strength || span.startUs - this.#startUs
    return difference !== 0 ? difference < 0 : compareBytes(span.source.bytes, span.spanId, this.#spanId) <= 0
  }

  /** Accepts `next`. Call `keep` only after `takes` has returned true. */
  keep(span: SpanView, root: boolean, explicit: boolean): void {
    const own = strength(this.#field, root, explicit)
    if (this.#present && own === this.#strength && span.startUs === this.#startUs && this.#isKeptSpan(span)) {
      // If a client sent the same span twice with different values, the smaller value wins.
      if (compareText(this.next.text(), this.#kept.text()) >= 0) return
    }
    this.#present = true
    this.#root = root
    this.#explicit = explicit
    this.#strength = own
    this.#startUs = span.startUs
    this.#spanId = span.spanId
    const before = this.#kept
    this.#kept = this.next
    this.next = before
  }

  #isKeptSpan(span: SpanView): boolean {
    return compareBytes(span.source.bytes, span.spanId, this.#spanId) === 0
  }

  /** Returns undefined if no candidate was kept since the last `clear`. `bytes` is the request that contains the candidates' spans. */
  candidate(bytes: Uint8Array): TraceCandidate | undefined {
    if (!this.#present) return undefined
    return {
      field: this.#field,
      root: this.#root,
      explicit: this.#explicit,
      startNs: nanosOf(this.#startUs),
      spanId: Buffer.from(bytes.buffer, bytes.byteOffset + this.#spanId, idBytes).toString('hex'),
      value: this.#kept.text(),
    }
  }
}

/**
 * Converts microseconds to nanoseconds. The result has only the precision of a microsecond. The start times in the rows of the spans have
 * the same precision. A reader of the rows therefore sees the same order of start times as the code that compares candidates.
 */
function nanosOf(startUs: number): bigint {
  const ns = BigInt(startUs) * 1000n
  return ns < 0n ? 0n : ns > latestNs ? latestNs : ns
}

function compareBytes(bytes: Uint8Array, a: number, b: number): number {
  if (a === b) return 0
  for (let i = 0; i < idBytes; i++) {
    const difference = bytes[a + i]! - bytes[b + i]!
    if (difference !== 0) return difference
  }
  return 0
}
