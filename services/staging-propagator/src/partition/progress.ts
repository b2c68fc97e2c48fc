// The metadata of the committed offset describes the window that the owner is publishing. If the partition gets a new owner, the new owner
// publishes the rest of this window with the attributes that the former owner used.
import type { CommittedOffset } from '@svc-server/log'

export interface Progress {
  /** `first` and `last` are the window's first and last offset, both inclusive. `endMs` is the append time at which the window ended. */
  readonly window: { readonly first: number; readonly last: number; readonly endMs: number } | null
  /**
   * Usually, the owner commits the offset of the first unpublished record, and `published` is null. While repairs are pending, `published`
   * is the offset of the first unpublished record, and the owner commits the offset of the last published record. This last record then
   * counts as uncommitted, so the log continues to call the partition's owner.
   */
  readonly published: number | null
  /** Number of commits that repairs have made on this partition. A repair commits the same offset again with a higher number. */
  readonly repairs: number
}

export const noProgress: Progress = { window: null, published: null, repairs: 0 }

export const formatProgress = ({ window, published, repairs }: Progress): string =>
  JSON.stringify({
    ...(window && { window: [window.first, window.last, window.endMs] }),
    ...(published !== null && { published }),
    repairs,
  })

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Returns empty progress if there is no commit, or if the propagator did not write the commit's metadata. */
export function parseProgress(committed: CommittedOffset | undefined): Progress {
  const parsed = parse(committed?.metadata)
  if (parsed === null) return noProgress
  const { window, published, repairs } = parsed
  const [first, last, endMs] = Array.isArray(window) ? (window as unknown[]) : []
  const known = isCount(first) && isCount(last) && isCount(endMs) && first <= last
  return {
    window: known ? { first, last, endMs } : null,
    published: isCount(published) ? published : null,
    repairs: isCount(repairs) ? repairs : 0,
  }
}

function parse(metadata: string | undefined): Readonly<Partial<Record<keyof Progress, unknown>>> | null {
  try {
    const value: unknown = JSON.parse(metadata ?? '')
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

/**
 * Returns true if the commit `found` is older than `known`. A publication raises the offset of the first unpublished record, and a repair
 * raises the number of repairs.
 */
export function isOlder(found: CommittedOffset | undefined, known: CommittedOffset | undefined): boolean {
  if (found === undefined || known === undefined) return known !== undefined
  const [a, b] = [parseProgress(found), parseProgress(known)]
  const published = (a.published ?? found.offset) - (b.published ?? known.offset)
  if (published !== 0) return published < 0
  return a.repairs === b.repairs ? found.offset < known.offset : a.repairs < b.repairs
}
