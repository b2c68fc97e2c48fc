// Decides whether a failed export can succeed later.

/** Statuses with which the server or a proxy temporarily refuses a batch. With other error statuses, the batch will never be accepted. */
const transientStatuses = new Set([408, 429, 502, 503, 504])

interface ExportError {
  readonly code?: unknown
  readonly message?: unknown
}

/** Returns the status of the response. Undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const { code, message } = (error ?? {}) as ExportError
  if (typeof code === 'number') return code
  // The fetch transport has the status only in its error text.
  const [, status] = /non-retryable status (\d{3})/.exec(String(message)) ?? []
  return status === undefined ? undefined : Number(status)
}

/**
 * True for a temporary refusal, and for a failed or broken connection. False for a response that is too large, and for a request that can
 * never be sent.
 */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return transientStatuses.has(status)
  const { code, message } = (error ?? {}) as ExportError
  return !(/^ERR_INVALID/.test(String(code)) || /exceeded size limit|^Nothing to send|^Invalid URL/.test(String(message)))
}
