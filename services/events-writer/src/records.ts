// Gives the records of all kinds one form for the pipeline. The payload stays encoded until a destination's encoder opens it.
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeEntityHead, isEntity } from '@svc-server/schema/entity'
import { decodeRunItem } from '@svc-server/schema/run-item'
import { decodeScoreEvent } from '@svc-server/schema/score-event'
import { decodeSdkUsage } from '@svc-server/schema/sdk-usage'
import { decodeSpanBatch, rowBytesOfRecord, rowTimeUs } from '@svc-server/schema/span-batch'
import { isStagedRunItem } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'

export interface OpenRecord {
  readonly projectId: string
  /**
   * Write mode of the process that accepted the record. The mode determines the record's destinations. The mode is null for a record
   * without a mode; the writer's own mode then applies.
   */
  readonly writeMode: WriteMode | null
  /** Number of items in the ledger: the spans of a batch, or one for a score or an entity. */
  readonly items: number
  /** True if the record is a merged entity among records of a different kind. */
  readonly isEntity: boolean
  /** Maximum number of rows that the record becomes. */
  readonly rows: number
  /** Bytes of the rows that the record becomes. */
  readonly rowBytes: number
  /** Units of work for mapping the record; 0 if the producer did not state the number. */
  readonly work: number
  /** True if every destination of the record stores all of the record's rows. False if only one destination stores rows of the record. */
  readonly inEach: boolean
  /**
   * Number of bytes after decompression, as the producer stated it; null if the producer did not state it. The number of decompressed bytes
   * and the bytes of rows are limited separately.
   */
  readonly decodedBytes: number
  readonly saidRowBytes: number | null
  /** event_ts of the record's rows, in microseconds since the epoch. */
  readonly eventTsUs: number
}

/** Throws UndecodableRecord. `timestampMs`: append time. */
type Open = (value: Uint8Array, timestampMs: number) => OpenRecord

const openSpanBatch: Open = (value, timestampMs) => {
  const batch = decodeSpanBatch(value)
  return {
    projectId: batch.projectId,
    writeMode: batch.writeMode ?? null,
    items: batch.spanCount,
    isEntity: false,
    rows: batch.spanCount,
    inEach: true,
    rowBytes: rowBytesOfRecord(batch),
    work: batch.work ?? 0,
    decodedBytes: batch.decodedBytes,
    saidRowBytes: batch.rowBytes ?? null,
    eventTsUs: rowTimeUs(batch, timestampMs),
  }
}

/** Approximate units of work for encoding a small row. */
const rowWork = 20

/** Opens a record that becomes one row. */
const openOne =
  (decode: (value: Uint8Array) => Pick<OpenRecord, 'projectId'> & { readonly writeMode?: WriteMode | null }): Open =>
  (value, timestampMs) => {
    const { projectId, writeMode = null } = decode(value)
    const bytes = value.byteLength
    return {
      ...{ projectId, writeMode, items: 1, isEntity: false, rows: 1, rowBytes: bytes, work: rowWork, inEach: true, decodedBytes: bytes },
      saidRowBytes: null,
      eventTsUs: timestampMs * 1000,
    }
  }

/** Approximate bytes of an entity's row beyond its ids and content: empty columns and times. */
const entityRowBytes = 1_024
/** Tools are copied from the input and output into separate columns, so an entity's content is counted twice. */
const entityCopies = 2
/**
 * Units of work for encoding an entity in the worst case, computed from its content. Very long words, and the names of usage values, take
 * 0.25 µs per byte. `npm run bench -- entities` measures these units of work.
 */
const entityWork = { record: 200, row: 30, leaf: 4, source: 1, bytesPerUnit: 4 }

/** Both tables that take the topic `entities` receive the record, but only one of them stores rows of it. */
const openEntity: Open = value => {
  const { projectId, entityId, writeMode = null, versionMs, staged, sources, leaves, retired } = decodeEntityHead(value)
  const bytes = value.byteLength
  const rows = 1 + retired.length
  const { record, row, leaf, source, bytesPerUnit } = entityWork
  return {
    ...{ projectId, writeMode, items: 1, isEntity: true, rows, inEach: false, decodedBytes: bytes },
    rowBytes: bytes * entityCopies + rows * (entityRowBytes + projectId.length + entityId.length),
    work: record + rows * row + leaves.length * leaf + sources.length * source + Math.ceil(bytes / bytesPerUnit),
    saidRowBytes: null,
    eventTsUs: versionMs * 1000 + (staged?.generation ?? 0),
  }
}

/** The topic of staged spans also has records of staged entities. */
const openStaged: Open = (value, timestampMs) => (isEntity(value) ? openEntity : openSpanBatch)(value, timestampMs)

/**
 * A staged entity becomes rows only after the propagator has filled the entity. Before the entity is filled, its record on the topic
 * `entities` provides its rows. A staged run item never becomes a row. The record on `run.items` provides the row of a run item, and the
 * staged copy only adds data to the trace's spans.
 */
export const isForLater = (topic: string, value: Uint8Array): boolean =>
  topic === topicNames.staging && (isEntity(value) || isStagedRunItem(value))

/** For each topic, the function that opens its records. To add a topic with records of a new kind, add a line here. */
const opens: Readonly<Record<string, Open>> = {
  [topicNames.direct]: openSpanBatch,
  [topicNames.overflow]: openSpanBatch,
  [topicNames.staging]: openSpanBatch,
  [topicNames.filled]: openStaged,
  [topicNames.entities]: openEntity,
  [topicNames.scores]: openOne(decodeScoreEvent),
  [topicNames.runItems]: openOne(decodeRunItem),
  [topicNames.sdkUsage]: openOne(decodeSdkUsage),
}

/** Throws UndecodableRecord. */
export function openRecord(topic: string, value: Uint8Array, timestampMs: number): OpenRecord {
  const open = opens[topic]
  if (open === undefined) throw new Error(`No destination accepts records of ${topic}: no destination declares how to open them`)
  return open(value, timestampMs)
}

/** Returns null if the record is unreadable. */
export function opened(topic: string, value: Uint8Array, timestampMs: number): OpenRecord | null {
  try {
    return openRecord(topic, value, timestampMs)
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

export const projectOfRecord = (topic: string, value: Uint8Array): string | null => opened(topic, value, 0)?.projectId ?? null

/** Returns null if the record is unreadable or has no write mode. */
export const writeModeOfRecord = (topic: string, value: Uint8Array): WriteMode | null => opened(topic, value, 0)?.writeMode ?? null

/** An unreadable record is counted as one item, so that it appears in the ledger. */
export const itemsOfRecord = (topic: string, value: Uint8Array): number => opened(topic, value, 0)?.items ?? 1

export const eventTsOfRecord = (topic: string, value: Uint8Array, timestampMs: number): number =>
  opened(topic, value, timestampMs)?.eventTsUs ?? timestampMs * 1000
