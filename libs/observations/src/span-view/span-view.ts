// The span that is being mapped, with all data that rules can read. One object is reused for all spans. Positions are offsets in the
// request's bytes.
import type { ByteSource } from '@svc-server/column-store/native'
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { AttributeIndex, AttributeStore } from './attribute-store.ts'
import { Content } from './content.ts'
import { DroppedCounts } from './dropped-counts.ts'
import { EntryMap } from './entry-map.ts'
import type { Explanation } from './explanation.ts'
import type { KeyTable } from './key-table.ts'
import { LossCounter, type LossReason } from './losses.ts'
import type { ObservationType } from './observation-type.ts'

/** The position of a record, and the data of its envelope. */
export interface RecordContext {
  readonly batch: SpanBatch
  readonly source: ByteSource
  /** The envelope's project id. */
  readonly project: ByteSource
  readonly fill: TraceAttributes | null
  /** Finds the run item of a span by the span's position; null if no span of the record belongs to an item. */
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
  /** Position of the parent's id; -1 for a span without a parent. */
  parentSpanId = -1
  nameStart = 0
  nameEnd = 0
  startUs = 0
  endUs = 0
  statusCode = 0
  statusMessageStart = 0
  statusMessageEnd = 0
  wireBytes = 0
  /** End of the span's bytes in its record. */
  end = 0
  /** The bytes that contain the scope's name: the request, or the expansion of a brand alias. */
  scopeNameSource!: ByteSource
  scopeNameStart = 0
  scopeNameEnd = 0
  scopeVersionStart = 0
  scopeVersionEnd = 0
  /** The scope's name, decoded once per scope. Empty if the name is longer than every scope name that the rules use. */
  scopeName = ''
  scopeVersion = ''
  /** True if the scope belongs to the product's SDK, so that `attributes` contains no user data. */
  sdkScope = false
  /** True if all metadata values, even strings, are JSON texts. */
  jsonMetadata = false
  /**
   * The entries [0, resourceCount) belong to the resource, the entries [resourceCount, ownFrom) to the scope, and all later entries to the
   * span.
   */
  resourceCount = 0
  ownFrom = 0
  /**
   * `resourceGeneration` changes when the resource changes, and `scopeGeneration` changes when the resource or the scope changes. Data
   * derived from a resource or scope is valid until its generation changes.
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
  /** Input and output. The rules set input and output. Tools can be moved into the input before input and output are written. */
  readonly input = new Content()
  readonly output = new Content()
  /**
   * Number of empty slots that rebuilt lists of this record can still use. Without a limit, thousands of small spans could become gigabytes
   * of nulls.
   */
  gapSlots = 0
  /** In stored form. */
  readonly modelName = new Content()
  /** The model parameters as JSON text, in their stored form. */
  readonly modelParameters = new Content()
  /** True if the span's level is ERROR. */
  failed = false
  /** True if the server counted the tokens because the client reported no usage. */
  usageIsEstimated = false
  /** True if an event of the span defines tools. */
  eventTools = false
  /** The observation type. The type column sets this type before later rules read it. */
  type: ObservationType = 'SPAN'
  /** Records the rules that applied, for explanations; null in production. */
  explanation: Explanation | null = null
  readonly losses: LossCounter
  /**
   * Attributes whose value a column could not store. Attributes that a column could not store stay in the metadata of every row, even of a
   * row without other `attributes.*`.
   */
  readonly leftOut = new EntryMap<true>()
  /**
   * Attributes whose values were moved to a column. If the value is null, the attribute is removed from the metadata. If the value is a
   * text, the attribute stays in the metadata with this text in place of its value.
   */
  readonly moved = new EntryMap<string | null>()
  /** Parsed JSON values of attributes. Several rules share the parsed values, so no rule is allowed to modify them. */
  readonly parsed = new EntryMap<unknown>()
  /** The parsed JSON of the output; undefined before the output was parsed. */
  parsedOutput: { readonly value: unknown } | undefined

  constructor(table: KeyTable, losses = new LossCounter()) {
    this.attributes = new AttributeStore(table)
    this.losses = losses
  }

  /** Keeps the attribute in the metadata, even if rules use it. */
  leaveOut(entry: number): void {
    this.leftOut.set(entry, true)
  }

  /** Keeps the attribute in the metadata like `leaveOut`, and also counts a loss. */
  lose(reason: LossReason, entry: number): void {
    this.losses.add(reason)
    this.leaveOut(entry)
  }
}
