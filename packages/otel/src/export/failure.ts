// Whether repeating an export may mend its failure.

/** The server, or what stands before it, could not take the batch now. Every other status says that it never will. */
const transientStatuses = new Set([408, 429, 502, 503, 504])

interface ExportError {
  readonly code?: unknown
  readonly message?: unknown
}

/** HTTP status of the response that the exporter reports, or undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  const { code, message } = (error ?? {}) as ExportError
  if (typeof code === 'number') return code
  // The fetch transport has the status in its message alone.
  const [, status] = /non-retryable status (\d{3})/.exec(String(message)) ?? []
  return status === undefined ? undefined : Number(status)
}

/**
 * True for a refusal for now and for a connection that did not come about or broke. An answer that is too large to read has been given, a request
 * that cannot be made never can.
 */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return transientStatuses.has(status)
  const { code, message } = (error ?? {}) as ExportError
  return !(/^ERR_INVALID/.test(String(code)) || /exceeded size limit|^Nothing to send|^Invalid URL/.test(String(message)))
}
