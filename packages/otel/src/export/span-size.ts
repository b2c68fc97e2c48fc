// A lower bound for a span's encoded size: the length of its texts. Adding up lengths is cheap, but encoding is not.
import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

function attributesSize(attributes: Attributes | undefined): number {
  let size = 0
  for (const key in attributes) {
    size += key.length
    const value = attributes[key]
    if (typeof value === 'string') size += value.length
    else if (Array.isArray(value)) for (const each of value) if (typeof each === 'string') size += each.length
  }
  return size
}

export function spanSize(span: ReadableSpan): number {
  let size = span.name.length + (span.status.message?.length ?? 0) + attributesSize(span.attributes)
  for (const event of span.events) size += event.name.length + attributesSize(event.attributes)
  for (const link of span.links) size += attributesSize(link.attributes)
  return size
}
