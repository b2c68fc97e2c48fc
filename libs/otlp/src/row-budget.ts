// Computes the size of a request's rows from the lengths of its spans, resources and scopes. This size is limited for requests, for
// records, and for the writer's chunks.
import { AppError } from '@svc-server/errors'

const MiB = 1024 * 1024

/**
 * Every row counts as at least this many bytes, because it also has ids, times, and other columns, and because storing it takes time. With
 * the limit of 256 MiB, a request has at most 131,072 spans.
 */
export const smallestRowBytes = 2048

/** Default limit for the rows of a request. A large collector batch of 8,192 spans with a resource of 16 KiB takes 144 MiB. */
export const defaultMaxRowBytes = 256 * MiB

/**
 * Maximum number of resources and scopes in a request, about twice the maximum number of spans. Resources and scopes without spans also
 * count.
 */
export const maxEnvelopes = 300_000

/** `sharedBytes` is the size of the span's resource and scope, which every row repeats. */
export const rowBytesOf = (spanBytes: number, sharedBytes: number): number => Math.max(smallestRowBytes, spanBytes + sharedBytes)

/** Returns the error for a request whose rows have too many bytes. The message states what the sender can do. */
export const tooManyRowBytes = (spans: number, sharedBytes: number, maxRowBytes: number): AppError =>
  new AppError(
    'body_too_large',
    `The rows of the first ${spans} spans of this request already have more than ${maxRowBytes} bytes. A row contains its span, resource and scope, and has at least ${smallestRowBytes} bytes. The resource and scope of the last of these spans have ${sharedBytes} bytes. Send fewer spans in a request, or a smaller resource.`,
    { limit: maxRowBytes, spans },
  )

/** An empty resource has two bytes, so a scan of 64 MiB of empty resources would take many seconds and yield no rows. */
export const tooManyEnvelopes = (): AppError =>
  new AppError(
    'body_too_large',
    `This request has more than ${maxEnvelopes} resources and scopes. Send only resources and scopes that have spans.`,
    {
      limit: maxEnvelopes,
    },
  )

export const tooManyTraces = (maxTraces: number): AppError =>
  new AppError('body_too_large', `This request has spans of more than ${maxTraces} traces. Send fewer traces in a request.`, {
    limit: maxTraces,
  })
