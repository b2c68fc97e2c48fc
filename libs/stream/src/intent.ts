// An intent says, in the metadata of the committed offset, which range is being stored right now and with which versions.
// Whoever owns the partition next rebuilds exactly that range, whatever its fetch looks like.
import type { CommittedOffset } from '@svc-server/log'

export interface Intent {
  readonly first: number
  readonly last: number
  /** Versions of everything besides the records that shapes the output. */
  readonly versions: Readonly<Record<string, string>>
  /** The pipeline's own: how far it has cut the chunk. Empty: nothing to say. */
  readonly note: string
}

export const formatIntent = ({ first, last, versions, note }: Intent): string =>
  JSON.stringify({ intent: [first, last], ...(note === '' ? {} : { note }), ...versions })

/** The open intent of a committed offset; null when there is none, or when the metadata is not ours. */
export function openIntent(committed: CommittedOffset | undefined): Intent | null {
  if (!committed?.metadata) return null
  const parsed = parse(committed.metadata)
  if (parsed === null || !Array.isArray(parsed['intent'])) return null
  const { intent, note = '', ...versions } = parsed
  const [first, last] = intent as unknown[]
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return null
  // An intent always stands at the position that it starts from; another one would name records that are long stored.
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
