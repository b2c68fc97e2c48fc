// Converts records of all kinds to one form. The payload stays encoded until a destination opens it.
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
   * Write mode of the process that accepted the record. The mode decides the destinations. Null: the record has no mode, and the writer's
   * own mode applies.
   */
  readonly writeMode: WriteMode | null
  /** Number of spans in a batch; 1 for any other record. */
  readonly items: number
  /** True if the record is a merged entity. */
  readonly isEntity: boolean
  /** Maximum rows of the record. */
  readonly rows: number
  /** Bytes of these rows. */
  readonly rowBytes: number
  /** Units of work for the mapping, as the producer stated them. If the producer stated none, this is 0. */
  readonly work: number
  /**
   * True if each destination of the record stores all rows of the record. False if the record can have several destinations, of which only
   * one stores the rows. For example, the rows of a merged entity are stored only in the table for the entity's type.
   */
  readonly inEach: boolean
  /** Bytes after decompression, according to the producer. */
  readonly decodedBytes: number
  /**
   * Bytes of the rows, according to the producer; null if the producer did not state them. The stage `limit` rejects a record if its
   * `decodedBytes` or its `saidRowBytes` is too large. Each of the two has its own limit.
   */
  readonly saidRowBytes: number | null
  /** In microseconds since the epoch. */
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

/** Approximate units of work for a small row. */
const rowWork = 20

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

/** Approximate bytes of an entity's row, without its ids and content. */
const entityRowBytes = 1_024
/** The content of an entity counts twice, because the row's columns for tool definitions and tool calls repeat parts of the content. */
const entityCopies = 2
/**
 * Worst-case units of work for encoding an entity, as measured by `npm run bench -- entities`. Two kinds of content take the most time,
 * 0.25 µs per byte: very long words in texts whose tokens the writer counts, and long names of usage values.
 */
const entityWork = { record: 200, row: 30, leaf: 4, source: 1, bytesPerUnit: 4 }

/**
 * Opens an entity. Two tables are destinations of the topic `entities`, but only the table for the entity's type stores rows of the entity.
 */
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

/** Opens a span batch or a staged entity, which are on the same topic. */
const openStaged: Open = (value, timestampMs) => (isEntity(value) ? openEntity : openSpanBatch)(value, timestampMs)

/**
 * A staged entity becomes rows of the events tables only after the propagator has published it on `spans.filled`. A staged run item never
 * becomes a row, because it only adds data to spans.
 */
export const isForLater = (topic: string, value: Uint8Array): boolean =>
  topic === topicNames.staging && (isEntity(value) || isStagedRunItem(value))

/** A new kind of record needs a line here. */
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

/** Null if the record is unreadable. */
export function opened(topic: string, value: Uint8Array, timestampMs: number): OpenRecord | null {
  try {
    return openRecord(topic, value, timestampMs)
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

export const projectOfRecord = (topic: string, value: Uint8Array): string | null => opened(topic, value, 0)?.projectId ?? null

export const writeModeOfRecord = (topic: string, value: Uint8Array): WriteMode | null => opened(topic, value, 0)?.writeMode ?? null

/** An unreadable record counts as one item, so that it appears in the ledger. */
export const itemsOfRecord = (topic: string, value: Uint8Array): number => opened(topic, value, 0)?.items ?? 1

export const eventTsOfRecord = (topic: string, value: Uint8Array, timestampMs: number): number =>
  opened(topic, value, timestampMs)?.eventTsUs ?? timestampMs * 1000
