// Reads a request body within a size and a time. Every byte is copied once, and its chunk freed at once: a body is not in memory twice.
import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'
import { free } from '../free.ts'

/** The client went away before it had sent everything: there is nobody to answer, and nothing was accepted. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyLimits {
  readonly maxBytes: number
  /** From the first look at the body to its last byte; a slower client gets 408 (F29, slow-loris). */
  readonly timeoutMs: number
}

/** The declared size, or undefined for a chunked body. Node's parser has already refused anything but digits. */
export function declaredBytes(req: IncomingMessage): number | undefined {
  const length = req.headers['content-length']
  return length === undefined ? undefined : Number(length)
}

export const tooLarge = (maxBytes: number) =>
  new AppError('body_too_large', `The request body is larger than ${maxBytes} bytes.`, { limit: maxBytes })

export interface Body {
  readonly bytes: Buffer
  /** Gives the memory back now; the bytes are not to be used afterwards. */
  free(): void
}

/**
 * The whole body. `onGrowth` hears the bytes so far before they are kept and may refuse by throwing.
 * Rejects with `body_too_large` (before a byte is read when Content-Length says so), `request_timeout`, what onGrowth threw, or ClientGone.
 */
export async function readBody(req: IncomingMessage, limits: BodyLimits, onGrowth?: (bytes: number) => void): Promise<Body> {
  const parts = createParts(declaredBytes(req))
  const length = await consume(req, limits, (chunk, bytes) => {
    onGrowth?.(bytes)
    parts.add(chunk)
  })
  const bytes = parts.joined(length)
  return { bytes, free: () => freeWhole(bytes) }
}

/** Joins chunks with one copy of each byte. A declared length is filled as the chunks come, so that 64 MiB are not copied in one go. */
function createParts(declared: number | undefined) {
  const chunks: Buffer[] = []
  let whole: Buffer | undefined
  let filled = 0
  const move = (chunk: Buffer, target: Buffer) => {
    target.set(chunk, filled)
    filled += chunk.length
    freeWhole(chunk)
  }
  return {
    add(chunk: Buffer): void {
      if (declared === undefined || chunk.length === declared) chunks.push(chunk)
      else move(chunk, (whole ??= Buffer.allocUnsafeSlow(declared)))
    },
    joined(length: number): Buffer {
      if (whole !== undefined) return whole
      if (chunks.length === 1) return chunks[0]!
      const target = Buffer.allocUnsafeSlow(length)
      for (const chunk of chunks) move(chunk, target)
      return target
    },
  }
}

/** Node gives out body chunks as copies of their own; what shares its memory with anything else is left alone. */
const freeWhole = (chunk: Buffer) => {
  if (chunk.byteLength === chunk.buffer.byteLength) free(chunk)
}

/** Reads a body to its end and keeps nothing. Resolves to its size; same limits and errors as readBody. */
export function discardBody(req: IncomingMessage, limits: BodyLimits): Promise<number> {
  return consume(req, limits, () => {})
}

function consume(req: IncomingMessage, { maxBytes, timeoutMs }: BodyLimits, keep: (chunk: Buffer, bytes: number) => void): Promise<number> {
  if ((declaredBytes(req) ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    let bytes = 0
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      // A reset connection may still report an error after this; without a listener it would end the process.
      req.on('error', () => {})
      finish()
    }
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      try {
        if (bytes > maxBytes) throw tooLarge(maxBytes)
        keep(chunk, bytes)
      } catch (error) {
        req.pause()
        settle(() => reject(error))
      }
    }
    const onEnd = () => settle(() => resolve(bytes))
    const onGone = () => settle(() => reject(new ClientGone(`The client left after ${bytes} bytes of its body.`)))
    const onSlow = () => {
      req.pause()
      settle(() => reject(new AppError('request_timeout', `The request body did not arrive within ${timeoutMs} ms.`)))
    }
    const timer = setTimeout(onSlow, timeoutMs)
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}
