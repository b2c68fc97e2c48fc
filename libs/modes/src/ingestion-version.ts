// The header x-svc-ingestion-version. Garbage is refused, never read as a default: a client that sends it
// believes it chose a way.

export const newestIngestionVersion = 4

export type ParsedIngestionVersion =
  | { readonly ok: true /** Null when the request has no such header. */; readonly value: number | null }
  | { readonly ok: false; readonly message: string }

// Nine digits, so that the value fits the 32 bits it is stored in.
const integer = /^[+-]?\d{1,9}$/

/** For messages: quoted and cut, because a header may hold anything. */
const shown = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/**
 * Takes the header as node:http gives it, or all values of its two spellings. The same value repeated is one
 * value; two different ones are refused. Contract §6, architecture §5.
 */
export function parseIngestionVersion(header: string | readonly string[] | undefined): ParsedIngestionVersion {
  const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header
  if (lines.length === 0) return { ok: true, value: null }
  const versions = new Set<number>()
  // A header that is sent twice arrives as one line with a comma.
  for (const item of lines.flatMap(line => line.split(','))) {
    const text = item.trim()
    if (!integer.test(text)) return refuse(`is ${shown(text)}, which is not an integer`)
    const version = Number(text) + 0
    if (version > newestIngestionVersion) return refuse(`is ${shown(text)}, a version that this server does not know`)
    versions.add(version)
  }
  const [value, ...others] = versions
  if (others.length > 0) return refuse(`is sent with different values, ${shown([...versions].join(', '))}`)
  return { ok: true, value: value ?? null }
}

const refuse = (fault: string): ParsedIngestionVersion => ({
  ok: false,
  message: `x-svc-ingestion-version ${fault}.`,
})
