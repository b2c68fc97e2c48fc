// From what the spans of a trace say to what those of them are given that say nothing themselves.
import { hash } from 'node:crypto'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'

/**
 * What a row holds anyway where nobody says anything (no tags, not public, the environment `default`) is left
 * out: it would change no row, and repairing a trace for it would be work for nothing.
 */
export function fillOf({ winners, tags }: TraceCandidates): TraceAttributes {
  const fill: { -readonly [Key in keyof TraceAttributes]: TraceAttributes[Key] } = {}
  for (const { field, value } of winners) {
    // A trace whose events took back what they had said.
    if (value === '') continue
    if (field === 'public') {
      if (value === 'true') fill.public = true
    } else if (field !== 'environment' || value !== 'default') fill[field] = value
  }
  if (tags.length > 0) fill.tags = tags
  return fill
}

/**
 * 16 hex digits; members in any order, absent ones as if they were empty. Tells accidents apart, not
 * forgeries: half of a hash is enough.
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
  // Traces of spans alone keep the hashes that they had.
  const canonical = JSON.stringify(rootSpanId === undefined ? known : [...known, rootSpanId])
  return hash('sha256', canonical).slice(0, 16)
}
