// Computes the bytes of a request's rows from lengths only, before any row exists. Receivers limit requests by the size of their rows, the
// writer limits chunks by it, and readers check records against it.
import { AppError } from '@svc-server/errors'

const MiB = 1024 * 1024

/**
 * Counts at least this many bytes for every row, because a row also has ids, times, and other columns, and because storing a row takes
 * time. With the limit of 256 MiB for a request's rows, this minimum size of a row limits a request to 131,072 spans.
 */
export const smallestRowBytes = 2048

/** Maximum bytes of a request's rows. A large collector batch of 8,192 spans with a resource of 16 KiB takes 144 MiB. */
export const defaultMaxRowBytes = 256 * MiB

/** Maximum number of resources and scopes of a request, with or without spans: about twice the maximum number of spans. */
export const maxEnvelopes = 300_000

/** Returns the bytes of a span's row. `sharedBytes` is the size of the span's resource and scope, which every row repeats. */
export const rowBytesOf = (spanBytes: number, sharedBytes: number): number => Math.max(smallestRowBytes, spanBytes + sharedBytes)

/** Returns the error for a request whose rows are too large, with advice for its sender. */
export const tooManyRowBytes = (spans: number, sharedBytes: number, maxRowBytes: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already become more than ${maxRowBytes} bytes of rows: a row contains its span, resource and scope (${sharedBytes} bytes here), and has at least ${smallestRowBytes} bytes. Send fewer spans in a request, or a smaller resource.`,
    { limit: maxRowBytes, spans },
  )

/**
 * Returns the error for too many resources and scopes. An empty resource has two bytes, so a scan of 64 MiB of empty resources would take
 * many seconds and yield no rows.
 */
export const tooManyEnvelopes = (): AppError =>
  new AppError('body_too_large', `This request has more than ${maxEnvelopes} resources and scopes. Send only those that have spans.`, {
    limit: maxEnvelopes,
  })

export const tooManyTraces = (maxTraces: number): AppError =>
  new AppError('body_too_large', `This request has spans of more than ${maxTraces} traces. Send fewer traces in a request.`, {
    limit: maxTraces,
  })
