// What stands in the metadata of the committed offset: which window is being published. Whoever owns the partition next goes on inside exactly
// that window, with the fill-ins it had.
import type { CommittedOffset } from '@svc-server/log'

export interface Progress {
  /** First and last offset, both inclusive, and the append time at which it ended. Published up to the committed offset. */
  readonly window: { readonly first: number; readonly last: number; readonly endMs: number } | null
  /** Repair commits of this partition so far. Also what tells one commit of the same position from the next. */
  readonly repairs: number
}

export const noProgress: Progress = { window: null, repairs: 0 }

export const formatProgress = ({ window, repairs }: Progress): string =>
  JSON.stringify({ ...(window && { window: [window.first, window.last, window.endMs] }), repairs })

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Of a commit that is not ours, or none: no progress. */
export function parseProgress(committed: CommittedOffset | undefined): Progress {
  const parsed = parse(committed?.metadata)
  if (parsed === null) return noProgress
  const { window, repairs } = parsed
  const [first, last, endMs] = Array.isArray(window) ? (window as unknown[]) : []
  const known = isCount(first) && isCount(last) && isCount(endMs) && first <= last
  return { window: known ? { first, last, endMs } : null, repairs: isCount(repairs) ? repairs : 0 }
}

function parse(metadata: string | undefined): { readonly window?: unknown; readonly repairs?: unknown } | null {
  try {
    const value: unknown = JSON.parse(metadata ?? '')
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
