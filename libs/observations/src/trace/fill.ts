// Computes the values that a trace's spans give to those of its spans without their own.
import { hash } from 'node:crypto'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'

/**
 * Omits values that a row has by default (no tags, not public, the environment `default`): they would change no row, and
 * repairing a trace for them would be wasted work.
 */
export function fillOf({ winners, tags }: TraceCandidates): TraceAttributes {
  const fill: { -readonly [Key in keyof TraceAttributes]: TraceAttributes[Key] } = {}
  for (const { field, value } of winners) {
    // The trace's events retracted an earlier value.
    if (value === '') continue
    if (field === 'public') {
      if (value === 'true') fill.public = true
    } else if (field !== 'environment' || value !== 'default') fill[field] = value
  }
  if (tags.length > 0) fill.tags = tags
  return fill
}

/**
 * 16 hex digits, independent of member order; absent members count as empty. It detects accidents, not forgeries, so half of a
 * hash is enough.
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
