// The span that is being mapped, and everything a rule may ask about it. One object for all spans; positions
// point into the request's bytes.
import type { ByteSource } from '@svc-server/column-store/native'
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { AttributeIndex, AttributeStore } from './attribute-store.ts'
import { Content } from './content.ts'
import { DroppedCounts } from './dropped-counts.ts'
import type { KeyTable } from './key-table.ts'
import { LossCounter, type LossReason } from './losses.ts'
import type { ObservationType } from './observation-type.ts'
import type { Trail } from './trail.ts'

/** Where a record came from, and the envelope it carried. */
export interface RecordContext {
  readonly batch: SpanBatch
  readonly source: ByteSource
  /** The envelope's project id. */
  readonly project: ByteSource
  readonly fill: TraceAttributes | null
  /** The run item that a span belongs to, by its place; null: none of them does. */
  readonly runItemOf: ((index: number) => RunItemFill | undefined) | null
  /** `topic/partition/offset#`. */
  readonly provenance: string
  readonly rowTimeUs: number
  readonly receivedUs: number
}

export class SpanView {
  context!: RecordContext
  source!: ByteSource
  /** Position of the span in its request. */
  index = 0
  traceId = 0
  spanId = 0
  /** Position of the parent's id, or -1. */
  parentSpanId = -1
  nameStart = 0
  nameEnd = 0
  startUs = 0
  endUs = 0
  statusCode = 0
  statusMessageStart = 0
  statusMessageEnd = 0
  wireBytes = 0
  /** Where it ends in its record. */
  end = 0
  /** Where the name's bytes are: the request, or what an alias of the brand stands for. */
  scopeNameSource!: ByteSource
  scopeNameStart = 0
  scopeNameEnd = 0
  scopeVersionStart = 0
  scopeVersionEnd = 0
  /** Decoded once per scope; longer names are none that a rule knows. */
  scopeName = ''
  scopeVersion = ''
  /** The scope is one of the SDK's own: `attributes` then holds nothing of the user's. */
  sdkScope = false
  /** Metadata values are JSON texts, strings included. */
  jsonMetadata = false
  /**
   * Entries [0, resourceCount) are the resource's, [resourceCount, ownFrom) the scope's, the others the
   * span's.
   */
  resourceCount = 0
  ownFrom = 0
  /**
   * Changes with the resource, and with the resource or the scope: what is derived from them may be kept as
   * long.
   */
  resourceGeneration = 0
  scopeGeneration = 0
  readonly attributes: AttributeStore
  readonly own = new AttributeIndex()
  readonly resource = new AttributeIndex()
  readonly scope = new AttributeIndex()
  /** Ranges of the span's events and links, each [start, end). */
  readonly events: number[] = []
  readonly links: number[] = []
  readonly dropped = new DroppedCounts()
  /** What went in and came out: set by the rules, changed by those who move tools into it, then written. */
  readonly input = new Content()
  readonly output = new Content()
  /**
   * Slots that rebuilt lists of this record may still take: thousands of small spans must not become
   * gigabytes of nulls.
   */
  gapSlots = 0
  /** As it is stored. */
  readonly modelName = new Content()
  /** JSON text, as it is stored. */
  readonly modelParameters = new Content()
  /** Its level is ERROR. */
  failed = false
  /** Its tokens were counted here: nobody said them. */
  usageIsEstimated = false
  /** Set by the first column that is written; later rules depend on it. */
  type: ObservationType = 'SPAN'
  /** Asked to explain: every list of rules notes what it took. Null in production. */
  trail: Trail | null = null
  readonly losses: LossCounter
  /**
   * Attributes that a column could not hold. Where the metadata has no `attributes.*` of its own, it keeps
   * these.
   */
  readonly leftOut = new Set<number>()
  /** Attributes that went into a column: they leave the metadata, or stay there with what is left of them. */
  readonly moved = new Map<number, string | null>()
  /** JSON values of attributes that rules have asked for: several of them look into the same one. Nobody changes them. */
  readonly parsed = new Map<number, unknown>()

  constructor(table: KeyTable, losses = new LossCounter()) {
    this.attributes = new AttributeStore(table)
    this.losses = losses
  }

  /** The attribute stays in the metadata, whatever else happens to it. */
  leaveOut(entry: number): void {
    this.leftOut.add(entry)
  }

  /** As `leaveOut`, and counted. */
  lose(reason: LossReason, entry: number): void {
    this.losses.add(reason)
    this.leaveOut(entry)
  }
}
