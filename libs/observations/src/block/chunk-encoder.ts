// Encodes a chunk of log records as one Native block of a span table, usually events_full. The same records give the same bytes in every
// process.
import {
  type BlockBuilder,
  type BufferPool,
  type ColumnSpec,
  createBlockBuilder,
  createBufferPool,
  sourceOf,
} from '@svc-server/column-store/native'
import type { SpanCursor } from '@svc-server/otlp/span-cursor'
import type { EnrichmentCounts } from '@svc-server/pricing/enrich'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import { createBrandNames } from '@svc-server/schema/brand'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { rowTimeUs } from '@svc-server/schema/span-batch'
import { CatalogLookup } from '../columns/catalog-lookup.ts'
import { readInputOutput } from '../columns/input-output.ts'
import { runItemsOf } from '../columns/run-item.ts'
import { vocabulary } from '../dialects/registry.ts'
import { rebuiltFlags } from '../rules/nested-rebuild.ts'
import { decodeRecord, defaultMaxDecodedBytes, giveBack } from '../span-view/decode-record.ts'
import type { Explanation } from '../span-view/explanation.ts'
import { KeyTable } from '../span-view/key-table.ts'
import type { Losses } from '../span-view/losses.ts'
import { createSpanWalk } from '../span-view/record-spans.ts'
import { SpanReader } from '../span-view/span-reader.ts'
import type { RecordContext, SpanView } from '../span-view/span-view.ts'
import { bodyHash } from './body-hash.ts'
import { Chunk, type ChunkRecord, type RejectedRow } from './chunk.ts'
import { type CreateTombstones, type DeniedTraces, tombstoneTicks } from './denied.ts'
import { createMapper, type Mapper, type Profile } from './mapper.ts'
import type { CreateOtherRecords, OtherRows } from './other-records.ts'
import { placeOf, type RawSpan, type RowPlace, type RowSelection, rawOf, traceIdOf } from './row-place.ts'

export interface EncodedChunk {
  readonly columns: string[]
  /** One Native block, in consecutive buffers. The receiver owns the buffers until it returns them with `recycle`. */
  readonly body: Uint8Array[]
  /** Hash of the body, as 32 hex digits. */
  readonly hash: string
  readonly rows: number
  /**
   * Number of spans in the chunk, including spans without a row: unselected spans, and spans that were rejected individually. A record
   * without spans counts as one span.
   */
  readonly spans: number
  readonly decodedBytes: number
  /** Number of spans of deleted traces. Their rows are tombstones. */
  readonly denied: number
  readonly rejected: readonly RejectedRow[]
  /** Number of texts with invalid UTF-8. The rows have U+FFFD in place of the invalid bytes. */
  readonly repairedTexts: number
  /** Counts values that no column could store unchanged. The original values are in the metadata of the rows. */
  readonly losses: Losses
  readonly enrichment: EnrichmentCounts
}

export interface ChunkEncoderOptions {
  readonly maxDecodedBytes?: number
  /**
   * Maximum months between a span's start and its receipt. The default is the maximum of the gateway's setting `SVC_SPAN_MAX_AGE_MONTHS`.
   */
  readonly maxAgeMonths?: number
  /** Maximum bytes of the rows of one record. */
  readonly maxRowBytes?: number
  /** Maximum units of work for one record. */
  readonly maxWork?: number
  /** Without a catalog, rows have only the costs and prompt ids that clients send. */
  readonly catalog?: CatalogSnapshot
  /** The encoder creates a pool by default. */
  readonly pool?: BufferPool
  /** Brands whose attribute names count as the product's own. */
  readonly brandAliases?: readonly string[]
  readonly others?: CreateOtherRecords
  /** Creates the tombstone for a span of a deleted trace. Required for calls of `encode` with `denied`. */
  readonly tombstones?: CreateTombstones
  /** Wraps the writer of each column family, so that a bench can measure it. */
  readonly profile?: Profile
}

export interface ChunkEncoder {
  /** Encodes all rows, or only the rows that `only` selects. An invalid record or span does not make this function throw. */
  encode(records: readonly ChunkRecord[], only?: RowSelection, denied?: DeniedTraces): EncodedChunk
  /** Returns the key and the position of each row that `encode` creates, in the order of the rows. */
  places(records: readonly ChunkRecord[], denied?: DeniedTraces): readonly RowPlace[]
  /**
   * Returns the original bytes of the spans whose rows are selected. A record without spans (such as an entity) is one item. If at least
   * one row of such a record is selected, the result contains one copy of the bytes of the whole record.
   */
  raws(records: readonly ChunkRecord[], only: RowSelection, denied?: DeniedTraces): readonly RawSpan[]
  /** Sets the snapshot for all later chunks. Returns one warning for each unusable part of the snapshot. */
  useCatalog(snapshot: CatalogSnapshot): readonly string[]
  /** Returns the buffers of an encoded body to the pool. After this call, the caller must not read the body. */
  recycle(body: readonly Uint8Array[]): void
}

/** The encoder calls `mapped` for every span that it has mapped to a row. */
export interface RowObserver {
  readonly explanation: Explanation
  mapped(span: SpanView): void
}

const ownPoolBytes = 192 << 20

export interface SpanTable {
  readonly columns: readonly ColumnSpec[]
  /** The version column stores times as multiples of this number of microseconds. */
  readonly tickUs: number
  createMapper(block: BlockBuilder, table: KeyTable, lookup: CatalogLookup, profile?: Profile): Mapper
  /** Called before a row's key is computed, if the key depends on more than ids and time. */
  prepare?(span: SpanView): void
}

const eventsTable: SpanTable = { columns: eventsColumns, tickUs: 1, createMapper }

export const createChunkEncoder = (options: ChunkEncoderOptions = {}): ChunkEncoder => createObservedEncoder(options, undefined)

export const createObservedEncoder = (options: ChunkEncoderOptions, observer: RowObserver | undefined): ChunkEncoder =>
  createSpanEncoder(options, eventsTable, observer)

export function createSpanEncoder(options: ChunkEncoderOptions, of: SpanTable, observer?: RowObserver): ChunkEncoder {
  const { maxDecodedBytes = defaultMaxDecodedBytes, pool = createBufferPool(ownPoolBytes) } = options
  const block: BlockBuilder = createBlockBuilder(of.columns, pool)
  const table = new KeyTable(vocabulary, createBrandNames(options.brandAliases))
  const span = new SpanReader(table)
  span.explanation = observer?.explanation ?? null
  const lookup = new CatalogLookup()
  if (options.catalog !== undefined) lookup.use(options.catalog)
  const mapper = of.createMapper(block, table, lookup, options.profile)
  const columns = of.columns.map(column => column.name)
  const walkSpans = createSpanWalk(span, options)
  const others = options.others?.(block, lookup)
  const writeTombstone = options.tombstones?.(block)

  function encode(records: readonly ChunkRecord[], only?: RowSelection, denied?: DeniedTraces): EncodedChunk {
    table.trim()
    mapper.startBlock()
    const chunk = new Chunk(only)
    for (const record of records) encodeRecord(chunk, record, denied)
    const repairedTexts = block.repaired()
    const body = block.finish(chunk.rows)
    return {
      columns,
      body,
      hash: bodyHash(body),
      rows: chunk.rows,
      spans: chunk.spans,
      decodedBytes: chunk.decodedBytes,
      denied: chunk.denied,
      rejected: chunk.rejected,
      repairedTexts,
      losses: span.losses.take(),
      enrichment: lookup.takeCounts(),
    }
  }

  /** If the whole record is unreadable, returns null and records the reason in the chunk. */
  function open(chunk: Chunk, record: ChunkRecord): RecordContext | null {
    const decoded = decodeRecord(record.value, maxDecodedBytes)
    if (!decoded.ok) {
      chunk.reject(record, null, decoded.reason, decoded.message, record.value, decoded.projectId)
      return null
    }
    const { batch, source } = decoded
    return {
      batch,
      source,
      project: sourceOf(batch.projectId),
      fill: batch.traceAttributes,
      runItemOf: runItemsOf(batch.runItems),
      provenance: `${record.topic}/${record.partition}/${record.offset}#`,
      rowTimeUs: rowTimeUs(batch, record.timestampMs),
      receivedUs: batch.receivedAtMs * 1000,
    }
  }

  /** If decoding fails, returns null and records the reason in the chunk. */
  function openOther(chunk: Chunk, record: ChunkRecord, denied?: DeniedTraces): OtherRows | null {
    const opened = others!.open(record, denied)
    if (!('reason' in opened)) return opened
    if (opened.index !== null) chunk.spans += 1
    chunk.rejected.push(opened)
    return null
  }

  function encodeOther(chunk: Chunk, record: ChunkRecord, denied?: DeniedTraces): void {
    const opened = openOther(chunk, record, denied)
    if (opened === null) return
    chunk.spans += 1
    if (opened.denied) chunk.denied += 1
    chunk.decodedBytes += record.value.length
    const selected = chunk.only?.get(record.offset)
    for (const { index } of opened.places) if (chunk.only === undefined || selected?.has(index)) opened.write(chunk.rows++, index)
  }

  /** Returns null if nothing of the record's project is deleted. */
  const deniedIn = ({ batch }: RecordContext, denied: DeniedTraces | undefined): DeniedTraces | null =>
    denied?.concerns(batch.projectId) ? denied : null

  /** Returns the tombstone for the span's row, or null if neither the span's trace nor its project is deleted. */
  function tombstoneOf(context: RecordContext, offset: number, month: number, denied: DeniedTraces | null): RowPlace | null {
    if (denied === null || !denied.denies(context.batch.projectId, traceIdOf(span, context))) return null
    of.prepare?.(span)
    const place = placeOf(span, context, offset, month)
    return { ...place, eventTsUs: place.eventTsUs + tombstoneTicks * of.tickUs }
  }

  function encodeRecord(chunk: Chunk, record: ChunkRecord, allDenied?: DeniedTraces): void {
    if (others?.knows(record.value)) return encodeOther(chunk, record, allDenied)
    const context = open(chunk, record)
    if (context === null) return
    const { batch, source } = context
    chunk.decodedBytes += source.bytes.length
    const selected = chunk.only?.get(record.offset)
    const denied = deniedIn(context, allDenied)
    chunk.spans += walkSpans(context, {
      rejected: (cursor, reason, message) => chunk.rejectSpan(record, cursor, batch.projectId, reason, message),
      row: month => {
        const isSelected = chunk.only === undefined || selected?.has(span.index)
        const tombstone = tombstoneOf(context, record.offset, month, denied)
        if (tombstone !== null) {
          chunk.denied += 1
          if (isSelected) writeTombstone!(chunk.rows++, tombstone)
        } else if (isSelected) encodeRow(chunk)
        // All rows of a record share one limit of empty list slots (`gapSlots`), and reading a row's input and output can use up some of
        // these slots. The encoder therefore also reads the input and output of unselected rows.
        else if ((span.attributes.seenFlags & rebuiltFlags) !== 0) readInputOutput(-1, span)
      },
    })
    giveBack(batch, source)
  }

  function encodeRow(chunk: Chunk): void {
    observer?.explanation.clear()
    mapper.write(chunk.rows++, span)
    observer?.mapped(span)
  }

  function visitRows(
    records: readonly ChunkRecord[],
    denied: DeniedTraces | undefined,
    visit: (context: RecordContext, offset: number, month: number, cursor: SpanCursor) => void,
    visitOther: (rows: OtherRows, record: ChunkRecord) => void,
  ) {
    table.trim()
    const chunk = new Chunk(undefined)
    for (const record of records) {
      if (others?.knows(record.value)) {
        const opened = openOther(chunk, record, denied)
        if (opened !== null) visitOther(opened, record)
        continue
      }
      const context = open(chunk, record)
      if (context === null) continue
      walkSpans(context, { rejected: () => {}, row: (month, cursor) => visit(context, record.offset, month, cursor) })
      giveBack(context.batch, context.source)
    }
    span.losses.take()
    lookup.takeCounts()
  }

  function places(records: readonly ChunkRecord[], denied?: DeniedTraces): readonly RowPlace[] {
    const found: RowPlace[] = []
    visitRows(
      records,
      denied,
      (context, offset, month) => {
        const tombstone = tombstoneOf(context, offset, month, deniedIn(context, denied))
        if (tombstone === null) of.prepare?.(span)
        found.push(tombstone ?? placeOf(span, context, offset, month))
      },
      ({ places: ofRecord }) => {
        for (const place of ofRecord) found.push(place)
      },
    )
    return found
  }

  function raws(records: readonly ChunkRecord[], only: RowSelection, denied?: DeniedTraces): readonly RawSpan[] {
    const found: RawSpan[] = []
    visitRows(
      records,
      denied,
      (context, offset, _, cursor) => {
        if (only.get(offset)?.has(cursor.index)) found.push(rawOf(cursor, context, offset))
      },
      // A record without spans, such as an entity, is one item: selecting any of its rows selects the whole record.
      ({ projectId }, { offset, value }) => {
        if (only.has(offset)) found.push({ offset, index: 0, projectId, raw: value.slice() })
      },
    )
    return found
  }

  return { encode, places, raws, recycle: block.recycle, useCatalog: snapshot => lookup.use(snapshot) }
}
