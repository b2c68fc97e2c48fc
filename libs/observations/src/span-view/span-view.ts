// The span that is being mapped. All spans share one object. Positions are offsets in the request's bytes.
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

export interface RecordContext {
  readonly batch: SpanBatch
  readonly source: ByteSource
  /** The envelope's project id. */
  readonly project: ByteSource
  readonly fill: TraceAttributes | null
  /** Returns the run item of the span with this index. The property is null if no span of the record belongs to a run item. */
  readonly runItemOf: ((index: number) => RunItemFill | undefined) | null
  /** `topic/partition/offset#`. */
  readonly provenance: string
  readonly rowTimeUs: number
  readonly receivedUs: number
}

export class SpanView {
  context!: RecordContext
  source!: ByteSource
  /** Position in the request. */
  index = 0
  traceId = 0
  spanId = 0
  /**
   * Position of the parent's id, or -1 for a span without a parent.
   */
  parentSpanId = -1
  nameStart = 0
  nameEnd = 0
  startUs = 0
  endUs = 0
  statusCode = 0
  statusMessageStart = 0
  statusMessageEnd = 0
  wireBytes = 0
  end = 0
  /** The bytes that contain the scope's name: the bytes of the request, or the expanded name if the name has a brand alias. */
  scopeNameSource!: ByteSource
  scopeNameStart = 0
  scopeNameEnd = 0
  scopeVersionStart = 0
  scopeVersionEnd = 0
  /** Decoded once per scope. Empty if the name is longer than every name that the rules use. */
  scopeName = ''
  scopeVersion = ''
  /**
   * True if the scope is the product's SDK. The attributes of the SDK's spans are not user data. The metadata group `attributes`
   * contains such an attribute only if a column could not store it (`leftOut`).
   */
  sdkScope = false
  /** True if the client encodes every metadata value as JSON, so that a string has quotes. */
  jsonMetadata = false
  /**
   * The index of an entry of `attributes` tells who owns the entry. The resource owns the entries below `resourceCount`. The span owns the
   * entry at `ownFrom` and all later entries. The scope owns the entries between.
   */
  resourceCount = 0
  ownFrom = 0
  /**
   * A new resource changes both generations, and a new scope changes `scopeGeneration`. Data of a resource is valid until
   * `resourceGeneration` changes. Data of a scope is valid until `scopeGeneration` changes.
   */
  resourceGeneration = 0
  scopeGeneration = 0
  readonly attributes: AttributeStore
  readonly own = new AttributeIndex()
  readonly resource = new AttributeIndex()
  readonly scope = new AttributeIndex()
  /** Each range is [start, end). */
  readonly events: number[] = []
  readonly links: number[] = []
  readonly dropped = new DroppedCounts()
  /** The dialects set `input` and `output`. Before the input becomes a column, `moveTools` can move tool definitions into the input. */
  readonly input = new Content()
  readonly output = new Content()
  /**
   * Number of empty list slots that this record can still use. Lists that are rebuilt from attribute keys can have empty slots. Without a
   * limit, thousands of small spans could become gigabytes of nulls.
   */
  gapSlots = 0
  /** Model name in the form in which the row stores it. */
  readonly modelName = new Content()
  /** Model parameters as JSON text, in the form in which the row stores them. */
  readonly modelParameters = new Content()
  /** True if the level is ERROR. */
  failed = false
  /** True if the server counted the tokens. */
  usageIsEstimated = false
  /** True if a span event contains definitions of tools. */
  eventTools = false
  /** The observation type. `readType` sets it, and later rules read it. */
  type: ObservationType = 'SPAN'
  /** For explanations; null in production. */
  explanation: Explanation | null = null
  readonly losses: LossCounter
  /** Attributes that a column could not store. They always stay in the metadata. */
  readonly leftOut = new EntryMap<true>()
  /**
   * Attributes that were moved to a column. If the map has a text for an attribute, the metadata contain this text instead of the
   * attribute's value. If the map has null, the metadata do not contain the attribute.
   */
  readonly moved = new EntryMap<string | null>()
  /** Parsed JSON of attributes. Rules share it and must not modify it. */
  readonly parsed = new EntryMap<unknown>()
  /** Undefined until the output has been parsed. */
  parsedOutput: { readonly value: unknown } | undefined

  constructor(table: KeyTable, losses = new LossCounter()) {
    this.attributes = new AttributeStore(table)
    this.losses = losses
  }

  /** Adds the attribute to `leftOut`, so that the attribute stays in the metadata even if rules use it. */
  leaveOut(entry: number): void {
    this.leftOut.set(entry, true)
  }

  /** Like `leaveOut`, but also counts a loss. */
  lose(reason: LossReason, entry: number): void {
    this.losses.add(reason)
    this.leaveOut(entry)
  }
}
