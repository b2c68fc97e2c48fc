// Decides whether a failed export may succeed on a retry.

/**
 * Statuses with which the server, or a proxy before it, could not accept the batch at this time. With every other status, the server will
 * never accept the batch.
 */
const transientStatuses = new Set([408, 429, 502, 503, 504])

interface ExportError {
  readonly code?: unknown
  readonly message?: unknown
}

/** HTTP status that the exporter reports, or undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const { code, message } = (error ?? {}) as ExportError
  if (typeof code === 'number') return code
  // The fetch transport reports the status only in its message.
  const [, status] = /non-retryable status (\d{3})/.exec(String(message)) ?? []
  return status === undefined ? undefined : Number(status)
}

/**
 * True for a temporary refusal, and for a connection that failed or broke. False for a response that was too large to read, and for a
 * request that can never be made.
 */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return transientStatuses.has(status)
  const { code, message } = (error ?? {}) as ExportError
  return !(/^ERR_INVALID/.test(String(code)) || /exceeded size limit|^Nothing to send|^Invalid URL/.test(String(message)))
}
