// What the pipeline knows of any record. The payload stays unchanged until a destination's encoder opens it.
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
   * Of the process that accepted it: it decides which destinations take it. Null: it does not say, and the
   * writer's own mode is meant.
   */
  readonly writeMode: WriteMode | null
  /** What of it is accounted for one by one: its spans; a score, or an entity, is one. */
  readonly items: number
  /** A merged entity: another kind than most records of a topic that has both. */
  readonly isEntity: boolean
  /** Rows that it becomes, at most. */
  readonly rows: number
  /** Bytes of these rows. */
  readonly rowBytes: number
  /** Units of work that its mapping takes; 0 when its producer did not say. */
  readonly work: number
  /** True: it becomes these rows in each of its destinations. False: in one of them. */
  readonly inEach: boolean
  /** What its producer said, which is held to the limits: bytes after decompression, and of rows; null: it did not say. */
  readonly decodedBytes: number
  readonly saidRowBytes: number | null
  /** event_ts of its rows, microseconds since the epoch. */
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

/** Units of work that a small row takes, about. */
const rowWork = 20

/** Of a record that is one row. */
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

/** Of a row besides ids and what the entity says: columns that are empty, times. */
const entityRowBytes = 1_024
/** Tools stand in columns of their own beside the input and output that they are found in. */
const entityCopies = 2
/**
 * Units of work that an entity takes at worst, by what it has: names of usage and words without an end are a quarter of a microsecond a byte. Measured by
 * `npm run bench -- entities`.
 */
const entityWork = { record: 200, row: 30, leaf: 4, source: 1, bytesPerUnit: 4 }

/** Both tables that take `entities` are given it, and one of them has its rows. */
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

/** Staged entities lie among staged spans. */
const openStaged: Open = (value, timestampMs) => (isEntity(value) ? openEntity : openSpanBatch)(value, timestampMs)

/**
 * What is staged of an entity becomes rows when the propagator has filled it: until then its rows are those of the topic `entities`. A run item that is
 * staged is no row at all: it is one from `run.items`, and its trace's spans are filled with it.
 */
export const isForLater = (topic: string, value: Uint8Array): boolean =>
  topic === topicNames.staging && (isEntity(value) || isStagedRunItem(value))

/** By topic; a topic of other records gets its line here. */
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
  if (open === undefined) throw new Error(`No destination can take records of ${topic}: nobody says how they are opened`)
  return open(value, timestampMs)
}

/** Null: the record cannot be read. */
export function opened(topic: string, value: Uint8Array, timestampMs: number): OpenRecord | null {
  try {
    return openRecord(topic, value, timestampMs)
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

export const projectOfRecord = (topic: string, value: Uint8Array): string | null => opened(topic, value, 0)?.projectId ?? null

/** Null: it does not say, or cannot be read. */
export const writeModeOfRecord = (topic: string, value: Uint8Array): WriteMode | null => opened(topic, value, 0)?.writeMode ?? null

/** One that cannot be read counts as one item: it must not be lost, either. */
export const itemsOfRecord = (topic: string, value: Uint8Array): number => opened(topic, value, 0)?.items ?? 1

export const eventTsOfRecord = (topic: string, value: Uint8Array, timestampMs: number): number =>
  opened(topic, value, timestampMs)?.eventTsUs ?? timestampMs * 1000
