// Computes the values that the spans of a trace supply to the trace's spans that have no values of their own.
import { hash } from 'node:crypto'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'

/**
 * Omits values that a row has by default (no tags, not public, the environment `default`). They would change no row, so repairing a trace
 * because of them would be wasted work.
 */
export function fillOf({ winners, tags }: TraceCandidates): TraceAttributes {
  const fill: { -readonly [Key in keyof TraceAttributes]: TraceAttributes[Key] } = {}
  for (const { field, value } of winners) {
    // An empty value means that the trace's events retracted an earlier value.
    if (value === '') continue
    if (field === 'public') {
      if (value === 'true') fill.public = true
    } else if (field !== 'environment' || value !== 'default') fill[field] = value
  }
  if (tags.length > 0) fill.tags = tags
  return fill
}

/**
 * 16 hex digits that do not depend on the order of the members. An absent member is hashed like an empty one. The hash detects accidents,
 * not forgeries, so half of a hash is enough.
 */
export function fillHash({
  name,
  userId,
  sessionId,
  tags,
  release,
  version,
  environment,
  public: isPublic,
  metadata,
  rootSpanId,
}: TraceAttributes): string {
  const listed = tags === undefined || tags.length === 0 ? null : tags
  const known = [name, userId, sessionId, listed, release, version, environment, isPublic === true, metadata]
  // Hashes of traces without events must stay unchanged.
  const canonical = JSON.stringify(rootSpanId === undefined ? known : [...known, rootSpanId])
  return hash('sha256', canonical).slice(0, 16)
}
