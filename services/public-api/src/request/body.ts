// Checks a body's media type. Limits the size of a body, the time to receive a body, and the memory of all bodies together.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@svc-server/errors'
import { type Body, declaredBytes, type Lease, readBody, tooLarge } from '@svc-server/http/bodies'

export interface Receiving {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly lease: Lease
  /** True for a request with Expect: 100-continue. */
  readonly awaitsContinue: boolean
  /** A missing body means an empty object. */
  readonly isOptional: boolean
}

/**
 * Throws `content_type_unsupported`, `content_encoding_unsupported`, `body_too_large`, `request_timeout` and ClientGone. If the lease
 * cannot grow, throws the error of `lease.resize`.
 */
export async function receiveJson({ raw, response, maxBytes, timeoutMs, lease, awaitsContinue, isOptional }: Receiving): Promise<Body> {
  if (isOptional && raw.headers['transfer-encoding'] === undefined && !declaredBytes(raw)) return { bytes: Buffer.from('{}'), free() {} }
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = raw.headers
  if (!/^application\/(?:[\w.+-]+\+)?json$/i.test(type.split(';', 1)[0]!.trim())) {
    throw new AppError('content_type_unsupported', `The Content-Type is ${type === '' ? 'not given' : JSON.stringify(type.slice(0, 100))}.`)
  }
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('content_encoding_unsupported', 'This route accepts only uncompressed bodies.')
  }
  if ((declaredBytes(raw) ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (awaitsContinue) response.writeContinue()
  return readBody(raw, { maxBytes, timeoutMs }, { onGrowth: lease.resize, evicted: lease.evicted })
}
