// Reads a request body within a size and a time. Chunks are kept as they come and joined once: no byte is copied twice.
import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'

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

/**
 * The whole body. `onGrowth` hears the bytes so far before they are kept and may refuse by throwing.
 * Rejects with `body_too_large` (before a byte is read when Content-Length says so), `request_timeout`, what onGrowth threw, or ClientGone.
 */
export function readBody(req: IncomingMessage, limits: BodyLimits, onGrowth?: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  return consume(req, limits, (chunk, bytes) => {
    onGrowth?.(bytes)
    chunks.push(chunk)
  }).then(bytes => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)))
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
