// A chunk of log records to one Native block of events_full. Pure: the same records give the same bytes, on every machine and in every process.
import { type BlockBuilder, byteSource, createBlockBuilder, sourceOf } from '@svc-server/column-store/native'
import { isAppError } from '@svc-server/errors'
import { forEachSpan, maxRejectedSpans, type RejectReason, SpanCursor } from '@svc-server/otlp'
import { createBrandNames, eventsColumns, rowTimeUs } from '@svc-server/schema'
import { KeyTable } from './attributes/key-table.ts'
import { rebuiltFlags } from './attributes/nested-rebuild.ts'
import { bodyHash } from './body-hash.ts'
import { CatalogueLookup } from './catalogue-lookup.ts'
import { readInputOutput } from './columns/input-output.ts'
import { decodeRecord, type RecordRejectReason } from './decode-record.ts'
import type { Losses } from './losses.ts'
import { createMapper, type Profile } from './mapper.ts'
import { ChunkMonths, createMonthOf, type MonthRows, monthNumber } from './months.ts'
import type { EnrichmentCounts } from './pricing/enrich.ts'
import type { CatalogueSnapshot } from './pricing/snapshot.ts'
import { type RecordContext, SpanView } from './span-view.ts'
import type { Trail } from './trail.ts'

export interface ChunkRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Append time of the log. */
  readonly timestampMs: number
  /** An encoded SpanBatch. */
  readonly value: Uint8Array
}

export interface RejectedRow {
  readonly offset: number
  /** Position of the span in its request; null: the record as a whole. */
  readonly index: number | null
  readonly reason: RejectReason | RecordRejectReason
  readonly message: string
  /** A copy of the span's message, or of the record's value. */
  readonly raw: Uint8Array
  readonly projectId: string | null
}

export interface EncodedChunk {
  readonly columns: string[]
  /** One Native block in consecutive parts. The receiver's; `transferables` of the column store lists their buffers. */
  readonly body: Uint8Array<ArrayBuffer>[]
  /** Of the body; 32 hex digits. */
  readonly hash: string
  readonly rows: number
  /** All spans of the records: rows (of all months), and those rejected by index. */
  readonly spans: number
  readonly decodedBytes: number
  /** Of the rows in the body. */
  readonly months: readonly MonthRows[]
  readonly rejected: readonly RejectedRow[]
  /** Texts that were no UTF-8 and are stored with U+FFFD. */
  readonly repairedTexts: number
  /** What rows could not take as it came; it stays in their metadata. */
  readonly losses: Losses
  /** What the catalogue did, and did not, know. */
  readonly enrichment: EnrichmentCounts
}

export interface ChunkEncoderOptions {
  /** Decoded bytes a record may have. */
  readonly maxDecodedBytes?: number
  /** Months before its receipt that a span may have started: the largest that a gateway can be set to. */
  readonly maxAgeMonths?: number
  /** Models, prices and prompts; absent: costs and ids are what clients say. */
  readonly catalogue?: CatalogueSnapshot
  /** Memory kept of blocks that were given back. */
  readonly poolBytes?: number
  /** Brands whose names are read as ours. */
  readonly brandAliases?: readonly string[]
  /** For benches: wraps each family of columns. */
  readonly profile?: Profile
}

export interface ChunkEncoder {
  /** Encodes the rows of these months only (YYYYMM), in the same order; absent: all. Never throws for what a record contains. */
  encode(records: readonly ChunkRecord[], only?: ReadonlySet<number>): EncodedChunk
  /** From the next chunk on. Answers what of the snapshot is not usable, and why. */
  useCatalogue(snapshot: CatalogueSnapshot): readonly string[]
  /** Takes the buffers of a body back once nobody reads them. */
  recycle(body: readonly Uint8Array[]): void
}

/** Watches the mapping of every row: for explanations. */
export interface RowObserver {
  readonly trail: Trail
  mapped(span: SpanView): void
}

const defaults = { maxDecodedBytes: 64 << 20, maxAgeMonths: 96, poolBytes: 192 << 20 } as const

export const createChunkEncoder = (options: ChunkEncoderOptions = {}): ChunkEncoder => createObservedEncoder(options, undefined)

export function createObservedEncoder(options: ChunkEncoderOptions, observer: RowObserver | undefined): ChunkEncoder {
  const { maxDecodedBytes, maxAgeMonths, poolBytes } = { ...defaults, ...options }
  const block: BlockBuilder = createBlockBuilder(eventsColumns, { poolBytes })
  const table = new KeyTable(createBrandNames(options.brandAliases))
  const span = new SpanView(table)
  span.trail = observer?.trail ?? null
  const lookup = new CatalogueLookup()
  if (options.catalogue !== undefined) lookup.use(options.catalogue)
  const mapper = createMapper(block, table, lookup, options.profile)
  const columns = eventsColumns.map(column => column.name)
  const monthOf = createMonthOf()
  const probe = () => mapper.probe(span)

  function encode(records: readonly ChunkRecord[], only?: ReadonlySet<number>): EncodedChunk {
    if (table.trim()) span.attributes.reset()
    mapper.startBlock()
    const chunk = new Chunk(only)
    for (const record of records) encodeRecord(chunk, record)
    const repairedTexts = block.repaired()
    const body = block.finish(chunk.rows)
    return {
      columns,
      body,
      hash: bodyHash(body),
      rows: chunk.rows,
      spans: chunk.spans,
      decodedBytes: chunk.decodedBytes,
      months: chunk.months.finish(),
      rejected: chunk.rejected,
      repairedTexts,
      losses: span.losses.take(),
      enrichment: lookup.takeCounts(),
    }
  }

  function encodeRecord(chunk: Chunk, record: ChunkRecord): void {
    const decoded = decodeRecord(record.value, maxDecodedBytes)
    if (!decoded.ok) {
      chunk.reject(record, null, decoded.reason, decoded.message, record.value, decoded.projectId)
      return
    }
    const { batch, bytes } = decoded
    const source = byteSource(bytes)
    const unreadable = envelopeFault(source.bytes)
    if (unreadable !== undefined) {
      chunk.reject(record, null, 'payload_undecodable', unreadable, record.value, batch.projectId)
      return
    }
    chunk.decodedBytes += bytes.length
    const context: RecordContext = {
      batch,
      source,
      project: sourceOf(batch.projectId),
      fill: batch.traceAttributes,
      provenance: `${record.topic}/${record.partition}/${record.offset}#`,
      rowTimeUs: rowTimeUs(batch, record.timestampMs),
      receivedUs: batch.receivedAtMs * 1000,
    }
    span.openRecord(context)
    encodeSpans(chunk, record, context)
  }

  function encodeSpans(chunk: Chunk, record: ChunkRecord, context: RecordContext): void {
    const { source, batch } = context
    const cursor = new SpanCursor(source.bytes)
    const receivedMonth = monthNumber(monthOf(context.receivedUs))
    let sharedBudget = sharedBytesBudget(source.bytes.length)
    let resourceIndex = -1
    let scopeIndex = -1
    let ownersReadable = false
    while (cursor.next()) {
      chunk.spans++
      const newResource = cursor.resourceIndex !== resourceIndex
      if (newResource || cursor.scopeIndex !== scopeIndex) {
        // An unreadable resource is read again with the next scope, so that its spans are refused too.
        ownersReadable = span.readOwners(cursor, newResource || !ownersReadable)
        resourceIndex = cursor.resourceIndex
        scopeIndex = cursor.scopeIndex
      }
      if (!ownersReadable || !span.read(cursor.index, cursor.spanStart, cursor.spanEnd)) {
        chunk.rejectSpan(record, cursor, batch.projectId, span.reason, span.message)
        continue
      }
      const month = monthOf(span.startUs)
      const age = receivedMonth - monthNumber(month)
      if (age > maxAgeMonths || age < -1) {
        const message = `The start time ${span.startUs} µs is not within ${maxAgeMonths} months before and 1 after its receipt.`
        chunk.rejectSpan(record, cursor, batch.projectId, 'start_time_range', message)
        continue
      }
      sharedBudget -= cursor.resourceEnd - cursor.resourceStart + cursor.scopeEnd - cursor.scopeStart
      if (sharedBudget < 0) {
        chunk.rejectSpan(
          record,
          cursor,
          batch.projectId,
          'too_large',
          'Resource and scope, repeated on every row, would make this record many times its size.',
        )
        continue
      }
      if (chunk.only !== undefined && !chunk.only.has(month)) {
        // Spans share what a record may grow by: what is left for the next one must not depend on the months asked for.
        if ((span.attributes.seenFlags & rebuiltFlags) !== 0) readInputOutput(-1, span)
        continue
      }
      chunk.months.add(month, probe)
      observer?.trail.clear()
      mapper.write(chunk.rows++, span)
      observer?.mapped(span)
    }
  }

  return { encode, recycle: block.recycle, useCatalogue: snapshot => lookup.use(snapshot) }
}

/** Every row carries its resource and scope. A megabyte of resource above thousands of empty spans must not become gigabytes of rows. */
const sharedBytesBudget = (decodedBytes: number) => 16 * decodedBytes + (1 << 20)

/** Ids with their tags and lengths: no span that is stored is smaller. */
const smallestSpan = 28

/** Why the request cannot be taken at all; found before its first row, because a record is taken whole or not at all. */
function envelopeFault(bytes: Uint8Array): string | undefined {
  try {
    const spans = forEachSpan(bytes, () => {})
    // As many rejections as empty spans fit into a request would be an attack on memory.
    const bad = spans - Math.floor(bytes.length / smallestSpan)
    return bad > maxRejectedSpans ? `At least ${bad} of ${spans} spans are too small to be spans.` : undefined
  } catch (error) {
    if (isAppError(error)) return error.message
    throw error
  }
}

/** What a chunk amounts to while it is being encoded. */
class Chunk {
  rows = 0
  spans = 0
  decodedBytes = 0
  readonly months = new ChunkMonths()
  readonly rejected: RejectedRow[] = []
  readonly only: ReadonlySet<number> | undefined

  constructor(only: ReadonlySet<number> | undefined) {
    this.only = only
  }

  reject(
    { offset }: ChunkRecord,
    index: number | null,
    reason: RejectedRow['reason'],
    message: string,
    raw: Uint8Array,
    projectId: string | null,
  ): void {
    this.rejected.push({ offset, index, reason, message, raw: raw.slice(), projectId })
  }

  rejectSpan(
    record: ChunkRecord,
    { bytes, index, spanStart, spanEnd }: SpanCursor,
    projectId: string,
    reason: RejectReason,
    message: string,
  ): void {
    this.reject(record, index, reason, message, bytes.subarray(spanStart, spanEnd), projectId)
  }
}
