// A chunk of log records to one Native block of a table of spans, mostly events_full. Pure: the same records
// give the same bytes, on every machine and in every process.
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
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import { createBrandNames } from '@svc-server/schema/brand'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { rowTimeUs } from '@svc-server/schema/span-batch'
import { CatalogueLookup } from '../columns/catalogue-lookup.ts'
import { readInputOutput } from '../columns/input-output.ts'
import { runItemsOf } from '../columns/run-item.ts'
import { vocabulary } from '../dialects/registry.ts'
import { rebuiltFlags } from '../rules/nested-rebuild.ts'
import { decodeRecord, defaultMaxDecodedBytes, giveBack } from '../span-view/decode-record.ts'
import { KeyTable } from '../span-view/key-table.ts'
import type { Losses } from '../span-view/losses.ts'
import { createSpanWalk } from '../span-view/record-spans.ts'
import { SpanReader } from '../span-view/span-reader.ts'
import type { RecordContext, SpanView } from '../span-view/span-view.ts'
import type { Trail } from '../span-view/trail.ts'
import { bodyHash } from './body-hash.ts'
import { Chunk, type ChunkRecord, type RejectedRow } from './chunk.ts'
import { type CreateTombstones, type DeniedTraces, tombstoneTicks } from './denied.ts'
import { createMapper, type Mapper, type Profile } from './mapper.ts'
import type { CreateOtherRecords, OtherRows } from './other-records.ts'
import { placeOf, type RawSpan, type RowPlace, type RowSelection, rawOf, traceIdOf } from './row-place.ts'

export interface EncodedChunk {
  readonly columns: string[]
  /** One Native block in consecutive parts. The receiver's until it gives them back; `buffersOf` of the column store lists their memory. */
  readonly body: Uint8Array[]
  /** Of the body; 32 hex digits. */
  readonly hash: string
  readonly rows: number
  /**
   * All items of the records: spans that are rows (selected or not), those rejected by index, and records of
   * another kind.
   */
  readonly spans: number
  readonly decodedBytes: number
  /** Of them those of deleted traces: their rows are tombstones. */
  readonly denied: number
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
  /** Bytes of rows that a record may become. */
  readonly maxRowBytes?: number
  /** Units of work that a record may take. */
  readonly maxWork?: number
  /** Models, prices and prompts; absent: costs and ids are what clients say. */
  readonly catalogue?: CatalogueSnapshot
  /** Of the memory that blocks are made of; absent: its own. */
  readonly pool?: BufferPool
  /** Brands whose names are read as ours. */
  readonly brandAliases?: readonly string[]
  /** What else lies among the records. */
  readonly others?: CreateOtherRecords
  /** How a span of a deleted trace is a row; absent: nothing is ever denied. */
  readonly tombstones?: CreateTombstones
  /** For benches: wraps each family of columns. */
  readonly profile?: Profile
}

export interface ChunkEncoder {
  /**
   * Encodes the selected rows only, in the same order; absent: all. Never throws for what a record contains.
   */
  encode(records: readonly ChunkRecord[], only?: RowSelection, denied?: DeniedTraces): EncodedChunk
  /** Keys and places of the rows that `encode` makes of these records, in its order. */
  places(records: readonly ChunkRecord[], denied?: DeniedTraces): readonly RowPlace[]
  /** The messages of selected rows, as they came; of another kind of record the record, once. */
  raws(records: readonly ChunkRecord[], only: RowSelection, denied?: DeniedTraces): readonly RawSpan[]
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

const ownPoolBytes = 192 << 20

/** The table that spans become rows of. */
export interface SpanTable {
  readonly columns: readonly ColumnSpec[]
  /** Microseconds that its version column tells apart. */
  readonly tickUs: number
  createMapper(block: BlockBuilder, table: KeyTable, lookup: CatalogueLookup, profile?: Profile): Mapper
  /**
   * Called before a row's place is asked for, where that depends on more than the span's own ids and time.
   */
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
  span.trail = observer?.trail ?? null
  const lookup = new CatalogueLookup()
  if (options.catalogue !== undefined) lookup.use(options.catalogue)
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

  /** Null: the record as a whole cannot be read, and the chunk says so. */
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

  /** Null: the chunk says why not. */
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

  /** Null: nothing of the record's project is denied. */
  const deniedIn = ({ batch }: RecordContext, denied: DeniedTraces | undefined): DeniedTraces | null =>
    denied?.concerns(batch.projectId) ? denied : null

  /** Of the span in view; null: it is not denied. */
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
        // Spans share what a record may grow by: what is left for the next one must not depend on the rows
        // asked for.
        else if ((span.attributes.seenFlags & rebuiltFlags) !== 0) readInputOutput(-1, span)
      },
    })
    giveBack(batch, source)
  }

  function encodeRow(chunk: Chunk): void {
    observer?.trail.clear()
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
      // Whichever of its rows is meant: the item is the record.
      ({ projectId }, { offset, value }) => {
        if (only.has(offset)) found.push({ offset, index: 0, projectId, raw: value.slice() })
      },
    )
    return found
  }

  return { encode, places, raws, recycle: block.recycle, useCatalogue: snapshot => lookup.use(snapshot) }
}
