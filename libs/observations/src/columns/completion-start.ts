// When the first token came.
import { type BlockBuilder, NullableNumberColumn } from '@svc-server/column-store/native'
import { findFirst, firstOf, forColumn, type Rule, spanAttribute, spanAttributes } from '../rules/rules.ts'
import { type EventKind, eventsOf } from '../rules/span-events.ts'
import { maxTimeUs, microsOfIso } from '../rules/time.ts'
import { valueKind } from '../span-view/any-value.ts'
import { parseJson, wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

const sdkRules = [spanAttribute('svc.observation.completion_start_time', 'set')]
const millisecondRules = spanAttributes('set', 'ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk')
const secondRules = [spanAttribute('gen_ai.client.operation.time_to_first_chunk', 'set')]
const firstToken: readonly EventKind[] = ['First Token Stream Event']

/** A duration no answer takes. */
const maxDelayUs = 366 * 86_400_000_000

/** Microseconds since the epoch. */
export const completionStartRules = forColumn<readonly Rule<number>[]>('completion_start_time', [
  {
    name: 'time of the SDK',
    read(span) {
      const entry = findFirst(span, sdkRules)
      const time = entry < 0 ? undefined : timeOf(span, entry)
      if (entry >= 0 && time === undefined) span.lose('unfit_value', entry)
      return time
    },
  },
  {
    name: 'milliseconds to the first chunk',
    read: span => afterStart(span, findFirst(span, millisecondRules), ms => Math.ceil(ms) * 1000),
  },
  { name: 'seconds to the first chunk', read: span => afterStart(span, findFirst(span, secondRules), s => Math.round(s * 1e6)) },
  {
    name: 'event of the first token',
    read(span) {
      if (span.events.length === 0) return undefined
      const time = eventsOf(span, firstToken)[0]?.timeUs ?? 0
      if (time === 0 || time > maxTimeUs) return undefined
      span.trail?.use('event First Token Stream Event')
      return time
    },
  },
])

export function completionStartColumn(block: BlockBuilder): ColumnWriter {
  const column = block.column('completion_start_time', NullableNumberColumn)
  return (row, span) => {
    const time = firstOf(completionStartRules, span)
    if (time !== undefined) column.set(row, time)
  }
}

/** 0 and what is no number say nothing. */
function afterStart(span: SpanView, entry: number, toUs: (delay: number) => number): number | undefined {
  if (entry < 0) return undefined
  const { kind, start, end, number } = span.attributes.value(entry)
  const isNumber = kind === valueKind.int || kind === valueKind.double
  const delay = isNumber ? number : kind === valueKind.text && end - start < 64 ? Number(wireText(span.source, start, end)) : Number.NaN
  const delayUs = toUs(delay)
  if (delayUs > 0 && delayUs <= maxDelayUs) return span.startUs + delayUs
  if (delay !== 0) span.lose('unfit_value', entry)
  return undefined
}

/** An ISO time, also wrapped in a JSON string as all SDKs send it. */
function timeOf(span: SpanView, entry: number): number | undefined {
  const value = span.attributes.value(entry)
  if (value.kind !== valueKind.text || value.end - value.start > 64) return undefined
  const text = wireText(span.source, value.start, value.end)
  const plain = text.startsWith('"') ? parseJson(text) : text
  return typeof plain === 'string' ? microsOfIso(plain) : undefined
}
