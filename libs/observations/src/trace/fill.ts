// Computes the values for spans that state no value themselves, from the values that other spans of the trace state.
import { hash } from 'node:crypto'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'

/**
 * Omits values that every row has by default (no tags, not public, the environment `default`). A default changes no row, so a trace needs
 * no repair because of one.
 */
export function fillOf({ winners, tags }: TraceCandidates): TraceAttributes {
  const fill: { -readonly [Key in keyof TraceAttributes]: TraceAttributes[Key] } = {}
  for (const { field, value } of winners) {
    // An empty value means that an event of the trace removed the earlier value.
    if (value === '') continue
    if (field === 'public') {
      if (value === 'true') fill.public = true
    } else if (field !== 'environment' || value !== 'default') fill[field] = value
  }
  if (tags.length > 0) fill.tags = tags
  return fill
}

/**
 * Returns a hash of 16 hex digits that does not depend on the order of the members. The hash is the same for a missing member and an empty
 * member. Half of the digest is enough to detect accidental differences; the hash does not prevent forgeries.
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
  // The hash of a trace without events must stay the same in every release.
  const canonical = JSON.stringify(rootSpanId === undefined ? known : [...known, rootSpanId])
  return hash('sha256', canonical).slice(0, 16)
}
