// A destination of the writer that exists only in the tests: the table `span_tallies`.
import { createHash } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denials } from '@svc-server/deletions/denials'
import { createChunkEncoder } from '@svc-server/observations/block/chunk-encoder'
import { tombstoneTicks } from '@svc-server/observations/block/denied'
import type { Destination } from '../../src/destinations/destination.ts'
import type { EncodedRows, RowEncoder, RowPlace, SourceRecord } from '../../src/destinations/row-encoder.ts'

const table = 'span_tallies'
const dayUs = 86_400_000_000

export const createTallies = (columnStore: ColumnStore): Promise<void> =>
  columnStore.command(`CREATE TABLE ${table} (
    project_id String, seen DateTime64(3, 'UTC'), id String, event_ts DateTime64(3, 'UTC'), is_deleted UInt8
  ) ENGINE = ReplacingMergeTree(event_ts, is_deleted) PARTITION BY toYYYYMM(seen) ORDER BY (project_id, toDate(seen), id)
  SETTINGS non_replicated_deduplication_window = 10000`)

export const tallies: Destination = {
  table,
  sources: () => ['spans.direct', 'spans.overflow'],
  key: [
    { sql: 'project_id', kind: 'repeated' },
    { sql: 'toDate(seen)', kind: 'day' },
    { sql: 'id', kind: 'text' },
  ],
  version: 'event_ts',
  monthOf: 'toDate(seen)',
  provenance: null,
  dependent: null,
  rules: { name: table, version: '1' },
  async createEncoder({ maxRecordBytes, ...limits }): Promise<RowEncoder> {
    const spans = createChunkEncoder({ maxDecodedBytes: maxRecordBytes, ...limits })
    const placed = (records: readonly SourceRecord[], denials?: Denials) =>
      spans.places(records).map(({ projectId, startTimeUs, traceId, spanId, eventTsUs, offset, index }) => {
        const denied = denials?.denies(projectId, traceId) === true
        const place: RowPlace = {
          key: [projectId, Math.floor(startTimeUs / dayUs), `${traceId}-${spanId}`],
          versionUs: (Math.floor(eventTsUs / 1000) + (denied ? tombstoneTicks : 0)) * 1000,
          offset,
          index,
        }
        return { place, denied, seenMs: Math.floor(startTimeUs / 1000) }
      })
    return {
      encode(records, only, denials): EncodedRows {
        const wanted = placed(records, denials).filter(({ place }) => only === undefined || only.get(place.offset)?.has(place.index))
        const body = blockOf(wanted)
        const hash = createHash('sha256').update(body).digest('hex').slice(0, 32)
        return {
          columns: columns.map(([name]) => name),
          body: [body],
          hash,
          rows: wanted.length,
          items: wanted.length,
          denied: wanted.filter(({ denied }) => denied).length,
          rejected: [],
          outcomes: {},
        }
      },
      places: (records, denials) => placed(records, denials).map(({ place }) => place),
      raws: spans.raws,
    }
  },
}

interface Placed {
  readonly denied: boolean
  readonly place: RowPlace
  readonly seenMs: number
}

const columns: readonly (readonly [name: string, type: string, of: (row: Placed) => Buffer])[] = [
  ['project_id', 'String', ({ place }) => text(String(place.key[0]))],
  ['seen', 'DateTime64(3)', ({ seenMs }) => int64(seenMs)],
  ['id', 'String', ({ place }) => text(String(place.key[2]))],
  ['event_ts', 'DateTime64(3)', ({ place }) => int64(place.versionUs / 1000)],
  ['is_deleted', 'UInt8', ({ denied }) => Buffer.alloc(1, denied ? 1 : 0)],
]

function blockOf(rows: readonly Placed[]): Uint8Array<ArrayBuffer> {
  const parts = columns.flatMap(([name, type, of]) => [text(name), text(type), ...rows.map(of)])
  return new Uint8Array(Buffer.concat([varint(columns.length), varint(rows.length), ...parts]))
}

const text = (value: string) => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)])

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(value))
  return bytes
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) return Buffer.from(bytes)
  }
}
