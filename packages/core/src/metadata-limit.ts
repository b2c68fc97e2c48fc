// OpenTelemetry silently ignores attributes beyond a span's limit. This module therefore drops the last metadata keys, to leave space for
// required attributes.
import type { Attributes, Span } from '@opentelemetry/api'
import { getGlobalLogger } from './logging/logger.ts'

/** Fields of OpenTelemetry's span objects that the interface `Span` does not declare. */
interface SpanInternals {
  readonly name?: string
  readonly attributes?: Attributes
  readonly _spanLimits?: { readonly attributeCountLimit?: number }
}

const metadata = 'svc.observation.metadata'
const isMetadata = (key: string): boolean => key === metadata || key.startsWith(`${metadata}.`)
const namedInWarning = 5

/**
 * Returns the attributes. If the metadata leaves no space for the reserved keys, the function drops metadata keys, beginning with the last
 * key. It never drops a key that the span already has. Returns `attributes` itself if all attributes fit or the span has no known limit.
 * Never throws.
 */
export function dropMetadataOverSpanAttributeLimit(span: Span, attributes: Attributes, reservedKeys: readonly string[]): Attributes {
  try {
    return withinLimit(span as SpanInternals, attributes, reservedKeys)
  } catch {
    return attributes
  }
}

function countOf(attributes: Attributes): number {
  let count = 0
  for (const _ in attributes) count++
  return count
}

function withinLimit(span: SpanInternals, attributes: Attributes, reservedKeys: readonly string[]): Attributes {
  const limit = span._spanLimits?.attributeCountLimit
  const existing = span.attributes
  if (limit === undefined || !Number.isFinite(limit) || existing === undefined) return attributes
  if (countOf(existing) + countOf(attributes) + reservedKeys.length <= limit) return attributes
  const isSet = (key: string): boolean => attributes[key] !== undefined && attributes[key] !== null
  const added = Object.keys(attributes).filter(key => isSet(key) && !(key in existing))
  const reserved = reservedKeys.filter(key => !(key in existing) && !isSet(key))
  const count = Object.keys(existing).length + added.length + reserved.length
  if (count <= limit) return attributes

  const dropped = added.filter(isMetadata).slice(-(count - limit))
  if (dropped.length === 0) return attributes
  const names = dropped.slice(0, namedInWarning).map(key => key.slice(metadata.length + 1) || '(all of it)')
  const more = dropped.length > names.length ? ', …' : ''
  getGlobalLogger().warn(
    `Dropped ${dropped.length} metadata keys of observation '${span.name}': it has ${count} attributes and the limit is ${limit}. ` +
      `Dropped: ${names.join(', ')}${more}. Raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT or nest the values under fewer keys.`,
  )
  const without = new Set(dropped)
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !without.has(key)))
}
