// Maps a span from protobuf and from JSON, and compares the two rows.
import type { CellValue } from '@svc-server/column-store/native'
import { transcodeJsonRequest } from '@svc-server/otlp/json/transcode'
import { attributes, encodeTraceRequest, type SpanEvent, type TraceRequest, traceRequestJson } from '@svc-server/testkit'
import { type ExplainedSpan, explainRequest, type RequestFacts } from '../../src/block/explain.ts'
import { receivedAtMs, type requestOf } from '../mapped-rows.ts'

export type Values = Parameters<typeof requestOf>[0]
export type Facts = Parameters<typeof requestOf>[1]

export const event = (name: string, values: Values = {}, timeUnixNano = '1795262400500000000'): SpanEvent => ({
  name,
  timeUnixNano,
  attributes: attributes(values),
})

export interface ExplainedRow extends Record<string, unknown> {
  readonly explained: ExplainedSpan
  /** Maps each name to its value as text. */
  readonly metadata: Readonly<Record<string, string>>
}

const rowOf = (explained: ExplainedSpan): ExplainedRow => {
  const values = Object.fromEntries(Object.entries(explained.columns).map(([name, { value }]) => [name, value]))
  const names = values['metadata_names'] as readonly string[]
  const texts = values['metadata_values'] as readonly string[]
  return { ...values, explained, metadata: Object.fromEntries(names.map((name, i) => [name, texts[i]!])) }
}

function comparable({ columns }: ExplainedSpan): Readonly<Record<string, CellValue>> {
  const { event_bytes: _, ...others } = columns
  return Object.fromEntries(Object.entries(others).map(([name, { value }]) => [name, value]))
}

export function explainBoth(request: TraceRequest, facts: Partial<RequestFacts> = {}): readonly ExplainedRow[] {
  const known = { nowMs: receivedAtMs, ...facts }
  const fromProtobuf = explainRequest(encodeTraceRequest(request), known)
  const fromJson = explainRequest(transcodeJsonRequest(traceRequestJson(request)), known)
  const [a, b] = [fromProtobuf, fromJson].map(({ spans }) => JSON.stringify(spans.map(comparable)))
  if (a !== b) throw new Error(`protobuf and JSON differ:\n${a}\n${b}`)
  if (fromProtobuf.rejected.length > 0) throw new Error(fromProtobuf.rejected[0]!.message)
  return fromProtobuf.spans.map(rowOf)
}
