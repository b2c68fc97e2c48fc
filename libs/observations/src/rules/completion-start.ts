// Times of a first token that are said as a delay.
import { valueKind } from '../span-view/any-value.ts'
import { wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

/** A duration no answer takes. */
const maxDelayUs = 366 * 86_400_000_000

/** 0 and what is no number say nothing. */
export function afterStart(span: SpanView, entry: number, toUs: (delay: number) => number): number | undefined {
  if (entry < 0) return undefined
  const { kind, start, end, number } = span.attributes.value(entry)
  const isNumber = kind === valueKind.int || kind === valueKind.double
  const delay = isNumber ? number : kind === valueKind.text && end - start < 64 ? Number(wireText(span.source, start, end)) : Number.NaN
  const delayUs = toUs(delay)
  if (delayUs > 0 && delayUs <= maxDelayUs) return span.startUs + delayUs
  if (delay !== 0) span.lose('unfit_value', entry)
  return undefined
}
