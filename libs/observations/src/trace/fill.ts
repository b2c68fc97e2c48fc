// Fills in the values that a span does not state itself. The values come from the other spans of the trace.
import { hash } from 'node:crypto'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'

/**
 * Returns the attributes that the spans of a trace get. Omits values that every row has by default (no tags, not public, the environment
 * `default`), because such values must not cause a repair.
 */
export function fillOf({ winners, tags }: TraceCandidates): TraceAttributes {
  const fill: { -readonly [Key in keyof TraceAttributes]: TraceAttributes[Key] } = {}
  for (const { field, value } of winners) {
    // An empty value means that an event of the trace has removed the earlier value.
    if (value === '') continue
    if (field === 'public') {
      if (value === 'true') fill.public = true
    } else if (field !== 'environment' || value !== 'default') fill[field] = value
  }
  if (tags.length > 0) fill.tags = tags
  return fill
}

/**
 * Returns the first 16 of the 64 hex digits of a SHA-256 digest, which are enough to detect accidental differences. The order of members
 * does not matter, and a missing member equals an empty one.
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
  // The propagator stores this hash with each window, and repairs the window if the hash has changed. The hash of a trace without
  // `rootSpanId` must therefore stay the same in every release.
  const canonical = JSON.stringify(rootSpanId === undefined ? known : [...known, rootSpanId])
  return hash('sha256', canonical).slice(0, 16)
}
