// An intent contains the range to store, and the versions that determine the range's rows. The runner writes the intent into the metadata
// of the committed offset. If the partition gets a new owner, the new owner rebuilds exactly this range.
import type { CommittedOffset } from '@svc-server/log'

export interface Intent {
  readonly first: number
  readonly last: number
  /**
   * Maps names to versions, for example the name of each rule to the version of the rule. The range's records and these versions
   * determine the range's rows.
   */
  readonly versions: Readonly<Record<string, string>>
  /** Describes how the pipeline divided the chunk. */
  readonly note: string
}

export const formatIntent = ({ first, last, versions, note }: Intent): string =>
  JSON.stringify({ intent: [first, last], ...(note === '' ? {} : { note }), ...versions })

/** Returns null if there is no commit, or if the commit's metadata is not an intent. */
export function openIntent(committed: CommittedOffset | undefined): Intent | null {
  if (!committed?.metadata) return null
  const parsed = parse(committed.metadata)
  if (parsed === null || !Array.isArray(parsed['intent'])) return null
  const { intent, note = '', ...versions } = parsed
  const [first, last] = intent as unknown[]
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return null
  // An intent must begin at the committed offset. If it began earlier, it would include records that are already stored.
  if (first !== committed.offset || (last as number) < (first as number)) return null
  return { first: first as number, last: last as number, versions: versions as Record<string, string>, note: String(note) }
}

function parse(metadata: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(metadata)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
