// Computes the bytes of rows that a request becomes from lengths alone, before any row exists. The receiver rejects requests by this size,
// the writer cuts chunks by it, and readers check records against it.
import { AppError } from '@svc-server/errors'

const MiB = 1024 * 1024

/**
 * Minimum size that is counted for a row. This minimum covers the ids, times, and other columns of every row, and the time that storing a
 * row takes. This minimum also limits a request to 131,072 spans, because the rows of a request may take 256 MiB.
 */
export const smallestRowBytes = 2048

/**
 * Maximum bytes of rows that a request may become. 8,192 spans with a resource of 16 KiB, a large collector batch, take 144
 * MiB.
 */
export const defaultMaxRowBytes = 256 * MiB

/** Maximum resources and scopes of a request, with or without spans: about two for each span of the largest request. */
export const maxEnvelopes = 300_000

/** Bytes of a span's row. `sharedBytes` is the size of the span's resource and scope, which every row repeats. */
export const rowBytesOf = (spanBytes: number, sharedBytes: number): number => Math.max(smallestRowBytes, spanBytes + sharedBytes)

/** The error for a request that can never be stored, with advice for its sender. */
export const tooManyRowBytes = (spans: number, sharedBytes: number, maxRowBytes: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already become more than ${maxRowBytes} bytes of rows: a row takes its span with its resource and scope (${sharedBytes} bytes here), and ${smallestRowBytes} bytes at least. Send fewer spans in a request, or less in the resource.`,
    { limit: maxRowBytes, spans },
  )

/** An empty resource takes two bytes, so 64 MiB of empty resources would take many seconds and yield no rows. */
export const tooManyEnvelopes = (): AppError =>
  new AppError('body_too_large', `This request has more than ${maxEnvelopes} resources and scopes. Send those that have spans.`, {
    limit: maxEnvelopes,
  })

export const tooManyTraces = (maxTraces: number): AppError =>
  new AppError('body_too_large', `This request has spans of more than ${maxTraces} traces. Send fewer traces in a request.`, {
    limit: maxTraces,
  })
