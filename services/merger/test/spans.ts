import { gzipSync } from 'node:zlib'
import type { EventLog, LogRecord, NewRecord } from '@svc-server/log'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { attributes, encodeTraceRequest } from '@svc-server/testkit'

interface SpanOfTrace {
  /** 16 hex digits. */
  readonly spanId: string
  /** True for a span without a parent. */
  readonly root?: boolean
  readonly parentId?: string
  readonly startUs: number
  readonly name?: string
  /** The attributes of the span, as a client sends them. */
  readonly says?: Readonly<Record<string, string | boolean | readonly string[]>>
}

export interface SpansOfTrace {
  readonly projectId: string
  /** 32 hex digits. */
  readonly traceId: string
  readonly spans: readonly SpanOfTrace[]
  /** Compression of the record. Default: identity. */
  readonly encoding?: 'identity' | 'gzip'
}

export const startMs = Date.UTC(2026, 10, 21, 12)
export const startUs = startMs * 1000
export const hexOf = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')

const unknownParent = 'ffffffffffffffff'
const readBytes = 8 << 20

export function newRecord({ projectId, traceId, spans, encoding = 'identity' }: SpansOfTrace): NewRecord {
  const wire = spans.map(({ spanId, root = false, parentId = unknownParent, startUs: start, name = 'step', says = {} }) => ({
    ...{ traceId, spanId, name, attributes: attributes(says) },
    ...(root ? {} : { parentSpanId: parentId }),
    startTimeUnixNano: BigInt(start) * 1000n,
    endTimeUnixNano: BigInt(start) * 1000n + 1_000_000n,
  }))
  const payload = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'test' }, spans: wire }] }] })
  const value = encodeSpanBatch({
    ...{ projectId, apiKey: 'pk-test', sdkName: 'python', sdkVersion: '3.1.0', ingestionVersion: 3, receivedAtMs: startMs },
    ...{ ingestId: spans[0]!.spanId, contentEncoding: encoding, decodedBytes: payload.byteLength, spanCount: spans.length },
    payload: encoding === 'gzip' ? gzipSync(payload) : payload,
    traceAttributes: null,
  })
  return { key: Buffer.from(`${projectId}/${traceId}`), value }
}

export async function readTopic(log: EventLog, name: string): Promise<LogRecord[]> {
  const { partitions } = (await log.describe()).find(({ spec }) => spec.name === name)!
  const records: LogRecord[] = []
  for (const { partition, lowWatermark, highWatermark } of partitions) {
    for (let from = lowWatermark; from < highWatermark; ) {
      const batch = await log.read(name, partition, from, readBytes)
      records.push(...batch.records)
      if (batch.nextOffset <= from) break
      from = batch.nextOffset
    }
  }
  return records
}
