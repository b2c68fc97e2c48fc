// The code that reads a request body can stop early. The connection then stays open, so that the client still gets the error response.
import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { AppError } from '@svc-server/errors'
import { ClientGone } from '@svc-server/http/bodies'

/**
 * The stream fails with ClientGone if the client disconnects before the end of the body, and with `request_timeout` if no byte arrives
 * within the idle time.
 */
export function openBytes(raw: IncomingMessage, idleTimeoutMs: number): Readable {
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      idle.refresh()
      done(null, chunk)
    },
  })
  const idle = setTimeout(
    () => stream.destroy(new AppError('request_timeout', `No byte of the request body arrived within ${idleTimeoutMs} ms.`)),
    idleTimeoutMs,
  )
  const onGone = () => {
    if (!raw.complete) stream.destroy(new ClientGone(`The client disconnected after ${bytes} bytes of the request body.`))
  }
  raw.on('error', onGone).on('close', onGone)
  stream.once('close', () => {
    clearTimeout(idle)
    raw.unpipe(stream).off('close', onGone)
  })
  return raw.pipe(stream)
}
