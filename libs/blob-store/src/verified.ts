import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { AppError } from '@svc-server/errors'
import type { BlobFacts } from './port.ts'

/**
 * Forwards the bytes, but withholds the last bytes until it has checked length and hash. If the length or the hash differs, the stream
 * fails with `bad_request` before the last bytes. A store that knows the length therefore never keeps an incomplete object.
 */
export function verified({ contentLength, sha256Hash }: Pick<BlobFacts, 'contentLength' | 'sha256Hash'>): Transform {
  const hash = createHash('sha256')
  let bytes = 0
  let held: Buffer | undefined
  const wrongLength = (what: string) =>
    new AppError('bad_request', `The upload has ${what} bytes, but ${contentLength} were announced. Nothing was stored.`)
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes > contentLength) return done(wrongLength(`more than ${contentLength}`))
      hash.update(chunk)
      const before = held
      held = chunk
      done(null, before)
    },
    flush(done) {
      if (bytes !== contentLength) return done(wrongLength(String(bytes)))
      const found = hash.digest('base64')
      if (found === sha256Hash) return done(null, held)
      done(new AppError('bad_request', `The SHA-256 hash of the upload is ${found}, not ${sha256Hash} as announced. Nothing was stored.`))
    },
  })
}
