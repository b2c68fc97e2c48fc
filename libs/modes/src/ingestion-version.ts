// Parses the header x-svc-ingestion-version, which chooses a route. An invalid value is rejected, because a default would hide the mistake.

export const newestIngestionVersion = 4

export type ParsedIngestionVersion =
  | { readonly ok: true /** The version, or null if the request has no version header. */; readonly value: number | null }
  | { readonly ok: false; readonly message: string }

// Fits into 32 bits.
const integer = /^[+-]?\d{1,9}$/

/** The value is quoted and shortened, because a header can contain anything. */
const shown = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/**
 * `header` is one text, as in node:http, or a list with one text for each spelling of the header's name. If the header states several
 * different versions, the header is rejected (contract §6, architecture §5).
 */
export function parseIngestionVersion(header: string | readonly string[] | undefined): ParsedIngestionVersion {
  const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header
  if (lines.length === 0) return { ok: true, value: null }
  const versions = new Set<number>()
  // node:http joins a repeated header with commas.
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
