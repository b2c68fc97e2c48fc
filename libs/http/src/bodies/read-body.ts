// Reads the body of a request within limits of size and time. Each chunk is copied once and then freed immediately, so that a body is never
// in memory twice.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { AppError } from '@svc-server/errors'
import { free } from './free.ts'

export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyLimits {
  readonly maxBytes: number
  /** Maximum time from the start of reading until the last byte. A slower client gets 408 (fault F29: slow-loris). */
  readonly timeoutMs: number
}

/** A client that sends fewer than `bytes` within `windowMs` gets 408, because the request would occupy memory for too long (F53). */
export const slowestPace = { bytes: 5 * 64 * 1024, windowMs: 5_000 } as const

/**
 * Limits the number of tiny pieces in a body, because each piece costs as much CPU time as a thousand bytes. A body with more than `count`
 * pieces is rejected if its pieces are smaller than `averageBytes` on average.
 */
export const tiniestPieces = { count: 4_096, averageBytes: 16 } as const

export interface BodyWatch {
  /** The reader calls this function with the number of new bytes. If the function throws, the reader rejects the body with this error. */
  readonly onGrowth?: (bytes: number) => void
  /** This signal aborts if another request needs the memory of this body. The read then rejects with the signal's reason. */
  readonly evicted?: AbortSignal
}

/** Describes bytes that precede a body and contain the length of the body, as in gRPC. */
export interface Prefix {
  readonly bytes: number
  /** Returns the length of the body. If `lengthOf` throws an error, the read rejects with this error. */
  lengthOf(prefix: Buffer): number
}

export function declaredBytes(req: IncomingMessage): number | undefined {
  const length = req.headers['content-length']
  return length === undefined ? undefined : Number(length)
}

export const tooLarge = (maxBytes: number) =>
  new AppError('body_too_large', `The request body is larger than ${maxBytes} bytes.`, { limit: maxBytes })

export interface Body {
  readonly bytes: Buffer
  /** Frees the memory of the body immediately. The caller must no longer use the bytes. */
  free(): void
}

/** Rejects with `body_too_large`, `request_timeout`, the error of onGrowth, the reason of the eviction, or ClientGone. */
export async function readBody(req: IncomingMessage, limits: BodyLimits, { onGrowth, evicted }: BodyWatch = {}): Promise<Body> {
  const declared = declaredBytes(req)
  if ((declared ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes)
  const parts = createParts(declared)
  const keep = (chunk: Buffer, bytes: number) => {
    onGrowth?.(bytes)
    parts.add(chunk)
  }
  const length = await consume(req, limits, keep, evicted)
  const bytes = parts.joined(length)
  return { bytes, free: () => freeWhole(bytes) }
}

/**
 * Reads a body whose length must equal the length in its prefix. Rejects with `bad_request` if the length differs. All other errors are
 * those of readBody.
 */
export async function readPrefixed(
  stream: Readable,
  prefix: Prefix,
  limits: BodyLimits,
  { onGrowth, evicted }: BodyWatch = {},
): Promise<Body> {
  const head = Buffer.alloc(prefix.bytes)
  let headBytes = 0
  let declared = 0
  let parts: ReturnType<typeof createParts> | undefined
  const keep = (chunk: Buffer, bytes: number) => {
    onGrowth?.(bytes)
    let rest = chunk
    if (parts === undefined) {
      const taken = chunk.copy(head, headBytes)
      headBytes += taken
      if (headBytes < head.length) return
      declared = prefix.lengthOf(head)
      if (declared > limits.maxBytes) throw tooLarge(limits.maxBytes)
      parts = createParts(declared)
      rest = chunk.subarray(taken)
    }
    if (bytes - head.length > declared) throw new AppError('bad_request', `The body continues after the ${declared} bytes of one message.`)
    if (rest.length > 0) parts.add(rest)
  }
  const length = await consume(stream, { ...limits, maxBytes: limits.maxBytes + head.length }, keep, evicted)
  if (parts === undefined || length < head.length + declared) {
    throw new AppError(
      'bad_request',
      `The message ended after ${length} bytes of ${parts === undefined ? 'its prefix' : head.length + declared}.`,
    )
  }
  const bytes = parts.joined(declared)
  return { bytes, free: () => freeWhole(bytes) }
}

/** The buffer for the whole body is allocated after this share has arrived. A client that only declares a large size takes no memory. */
const arrivedPart = 1 / 8

/**
 * Joins chunks by copying each byte once. If the length was declared, the buffer is filled as chunks arrive, so that 64 MiB are never
 * copied in one step.
 */
function createParts(declared: number | undefined) {
  const chunks: Buffer[] = []
  let waiting = 0
  let whole: Buffer | undefined
  let filled = 0
  const moveAll = (target: Buffer) => {
    for (const chunk of chunks.splice(0)) {
      target.set(chunk, filled)
      filled += chunk.length
      freeWhole(chunk)
    }
  }
  return {
    add(chunk: Buffer): void {
      chunks.push(chunk)
      waiting += chunk.length
      if (declared === undefined || chunk.length === declared) return
      if (whole === undefined && waiting >= declared * arrivedPart) whole = Buffer.allocUnsafeSlow(declared)
      if (whole !== undefined) moveAll(whole)
    },
    joined(length: number): Buffer {
      if (whole !== undefined) return whole
      if (chunks.length === 1) return chunks[0]!
      const target = Buffer.allocUnsafeSlow(length)
      moveAll(target)
      return target
    },
  }
}

/** Frees a chunk that has its own memory, as nearly all chunks from Node have. A chunk in shared memory stays unchanged. */
const freeWhole = (chunk: Buffer) => {
  if (chunk.byteLength === chunk.buffer.byteLength) free(chunk)
}

/** Reads a body to its end without keeping it. Resolves with its size. The limits and the errors are those of readBody. */
export async function discardBody(req: IncomingMessage, limits: BodyLimits): Promise<number> {
  if ((declaredBytes(req) ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes)
  return discard(req, limits)
}

export const discard = (stream: Readable, limits: BodyLimits): Promise<number> => consume(stream, limits, () => {})

function consume(
  stream: Readable,
  { maxBytes, timeoutMs }: BodyLimits,
  keep: (chunk: Buffer, bytes: number) => void,
  evicted?: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    let pieces = 0
    let bytesBefore = 0
    let settled = false
    const settle = (finish: () => void) => {
      settled = true
      clearTimeout(timer)
      clearInterval(pace)
      stream.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      evicted?.removeEventListener('abort', onEvicted)
      // If the connection is reset, the stream can still report an error after the promise has settled. Without a listener, the error would
      // end the process.
      stream.on('error', () => {})
      finish()
    }
    const refuse = (error: unknown) => {
      stream.pause()
      settle(() => reject(error))
    }
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      try {
        if (bytes > maxBytes) throw tooLarge(maxBytes)
        if (++pieces > tiniestPieces.count && bytes < pieces * tiniestPieces.averageBytes)
          throw new AppError(
            'bad_request',
            `The request body arrives in ${pieces} pieces with an average of fewer than ${tiniestPieces.averageBytes} bytes.`,
          )
        keep(chunk, bytes)
      } catch (error) {
        refuse(error)
      }
    }
    const onEnd = () => settle(() => resolve(bytes))
    const onGone = () => settle(() => reject(new ClientGone(`The client disconnected after ${bytes} bytes of the request body.`)))
    const onEvicted = () => refuse(evicted?.reason)
    const onSlow = () => refuse(new AppError('request_timeout', `The request body did not arrive within ${timeoutMs} ms.`))
    const onWindow = () => {
      if (settled) return
      if (bytes - bytesBefore < slowestPace.bytes) {
        const seconds = slowestPace.windowMs / 1000
        return refuse(new AppError('request_timeout', `Fewer than ${slowestPace.bytes} bytes of the request body arrived in ${seconds} s.`))
      }
      bytesBefore = bytes
    }
    const timer = setTimeout(onSlow, timeoutMs)
    // After a long iteration of the event loop, the timer fires before the reader has received the bytes that have arrived. `setImmediate`
    // lets the reader receive these bytes before the check.
    const pace = setInterval(() => setImmediate(onWindow), slowestPace.windowMs)
    stream.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
    evicted?.addEventListener('abort', onEvicted)
    if (evicted?.aborted) onEvicted()
    // If the request has no body, the stream can have ended before this line. In this case, no `end` event follows.
    if (stream.readableEnded) onEnd()
  })
}
