// What a request becomes, in bytes of rows: known from lengths alone, before anything is made. The receiver
// refuses by it, chunks are cut by it, and who reads a record holds it again.
import { AppError } from '@svc-server/errors'

const MiB = 1024 * 1024

/**
 * A row takes this much however little its span says: ids, times, the columns that every row has, and the
 * time that each of them costs. So the same number bounds the spans of a request: 131,072 in 256 MiB.
 */
export const smallestRowBytes = 2048

/**
 * Bytes of rows that a request may become. 8,192 spans below a resource of 16 KiB, a large batch of a
 * collector, take 144 MiB.
 */
export const defaultMaxRowBytes = 256 * MiB

/**
 * Resources and scopes of a request, with spans or without: two for each of the most spans that it may have,
 * and some.
 */
export const maxEnvelopes = 300_000

/** Bytes of a span's row. `sharedBytes`: its resource and its scope, which every row repeats. */
export const rowBytesOf = (spanBytes: number, sharedBytes: number): number => Math.max(smallestRowBytes, spanBytes + sharedBytes)

/** The request that can never be stored, with what its sender can do about it. */
export const tooManyRowBytes = (spans: number, sharedBytes: number, maxRowBytes: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already become more than ${maxRowBytes} bytes of rows: a row takes its span with its resource and scope (${sharedBytes} bytes here), and ${smallestRowBytes} bytes at least. Send fewer spans in a request, or less in the resource.`,
    { limit: maxRowBytes, spans },
  )

/** An empty resource is two bytes: 64 MiB of them would take many seconds, and become nothing. */
export const tooManyEnvelopes = (): AppError =>
  new AppError('body_too_large', `This request has more than ${maxEnvelopes} resources and scopes. Send those that have spans.`, {
    limit: maxEnvelopes,
  })

export const tooManyTraces = (maxTraces: number): AppError =>
  new AppError('body_too_large', `This request has spans of more than ${maxTraces} traces. Send fewer traces in a request.`, {
    limit: maxTraces,
  })
