// Decides whether a failed export can succeed later.

/** The server or a proxy temporarily refuses the batch. With other statuses, it will never be accepted. */
const transientStatuses = new Set([408, 429, 502, 503, 504])

interface ExportError {
  readonly code?: unknown
  readonly message?: unknown
}

/** Undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const { code, message } = (error ?? {}) as ExportError
  if (typeof code === 'number') return code
  // The fetch transport has the status only in its error text.
  const [, status] = /non-retryable status (\d{3})/.exec(String(message)) ?? []
  return status === undefined ? undefined : Number(status)
}

/**
 * True for a temporary refusal, and for a failed or broken connection. Too large responses, and requests that can never be sent, are not
 * transient.
 */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return transientStatuses.has(status)
  const { code, message } = (error ?? {}) as ExportError
  return !(/^ERR_INVALID/.test(String(code)) || /exceeded size limit|^Nothing to send|^Invalid URL/.test(String(message)))
}
