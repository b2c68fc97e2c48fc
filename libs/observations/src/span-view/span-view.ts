// The span being mapped, with everything that rules may read. One object serves all spans; positions refer to the request's
// bytes.
import type { ByteSource } from '@svc-server/column-store/native'
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { AttributeIndex, AttributeStore } from './attribute-store.ts'
import { Content } from './content.ts'
import { DroppedCounts } from './dropped-counts.ts'
import type { Explanation } from './explanation.ts'
import type { KeyTable } from './key-table.ts'
import { LossCounter, type LossReason } from './losses.ts'
import type { ObservationType } from './observation-type.ts'

/** The origin of a record and its envelope. */
export interface RecordContext {
  readonly batch: SpanBatch
  readonly source: ByteSource
  /** The envelope's project id. */
  readonly project: ByteSource
  readonly fill: TraceAttributes | null
  /** Finds the run item of a span by its position; null when no span belongs to one. */
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
  /** End of the span in its record. */
  end = 0
  /** The bytes that contain the scope's name: the request, or the expansion of a brand alias. */
  scopeNameSource!: ByteSource
  scopeNameStart = 0
  scopeNameEnd = 0
  scopeVersionStart = 0
  scopeVersionEnd = 0
  /** Decoded once per scope; empty for a name longer than any that rules know. */
  scopeName = ''
  scopeVersion = ''
  /** The scope belongs to the product's SDK, so `attributes` holds no user data. */
  sdkScope = false
  /** Whether metadata values are JSON texts, including strings. */
  jsonMetadata = false
  /** Entries [0, resourceCount) belong to the resource, [resourceCount, ownFrom) to the scope, and the rest to the span. */
  resourceCount = 0
  ownFrom = 0
  /** Changes with the resource, or with the resource or scope; derived data stays valid while it is equal. */
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
  /** Input and output: set by rules, changed when tools move into them, then written. */
  readonly input = new Content()
  readonly output = new Content()
  /** Slots that rebuilt lists of this record may still use: thousands of small spans must not become gigabytes of nulls. */
  gapSlots = 0
  /** In stored form. */
  readonly modelName = new Content()
  /** JSON text in stored form. */
  readonly modelParameters = new Content()
  /** Its level is ERROR. */
  failed = false
  /** The server counted the tokens, because the client reported none. */
  usageIsEstimated = false
  /** The observation type. The first column sets it, and later rules depend on it. */
  type: ObservationType = 'SPAN'
  /** Records applied rules for explanations; null in production. */
  explanation: Explanation | null = null
  readonly losses: LossCounter
  /** Attributes that a column could not hold. The metadata keep these even when they have no other `attributes.*`. */
  readonly leftOut = new Set<number>()
  /** Attributes that went into a column. They leave the metadata (null), or stay there with the remaining part of their text. */
  readonly moved = new Map<number, string | null>()
  /** Parsed JSON of attributes, shared by several rules, which must not modify it. */
  readonly parsed = new Map<number, unknown>()

  constructor(table: KeyTable, losses = new LossCounter()) {
    this.attributes = new AttributeStore(table)
    this.losses = losses
  }

  /** Keeps the attribute in the metadata in any case. */
  leaveOut(entry: number): void {
    this.leftOut.add(entry)
  }

  /** Keeps the attribute in the metadata like `leaveOut`, and counts a loss. */
  lose(reason: LossReason, entry: number): void {
    this.losses.add(reason)
    this.leaveOut(entry)
  }
}
