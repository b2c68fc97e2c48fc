// Decides whether a failed export can succeed later.

/** Statuses of temporary refusals by the server or a proxy in front of it. With other statuses, the server will never accept the batch. */
const transientStatuses = new Set([408, 429, 502, 503, 504])

interface ExportError {
  readonly code?: unknown
  readonly message?: unknown
}

/** Returns the HTTP status that the exporter reports; undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const { code, message } = (error ?? {}) as ExportError
  if (typeof code === 'number') return code
  // The fetch transport reports the status only in its error text.
  const [, status] = /non-retryable status (\d{3})/.exec(String(message)) ?? []
  return status === undefined ? undefined : Number(status)
}

/**
 * True for a temporary refusal, and for a failed or broken connection. False for a response too large to read, and for a request that can
 * never be sent.
 */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return transientStatuses.has(status)
  const { code, message } = (error ?? {}) as ExportError
  return !(/^ERR_INVALID/.test(String(code)) || /exceeded size limit|^Nothing to send|^Invalid URL/.test(String(message)))
}
