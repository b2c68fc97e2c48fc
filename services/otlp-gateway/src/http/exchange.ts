// A request over HTTP/1.1.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { declaredBytes, discardBody, readBody } from '@svc-server/http/bodies'
import { parseContentEncoding, parseMediaType } from '@svc-server/otlp/media-type'
import type { Exchange } from '../exchange.ts'
import type { Trail } from '../trail.ts'

/** `awaitsContinue`: the client sends its body only after a 100 (Expect: 100-continue). */
export function httpExchange(req: IncomingMessage, res: ServerResponse, trail: Trail, awaitsContinue: boolean): Exchange {
  const ask = () => {
    if (awaitsContinue) res.writeContinue()
  }
  return {
    request: req,
    trail,
    encodings() {
      trail.format = parseMediaType(req.headers['content-type'])
      trail.compression = parseContentEncoding(req.headers['content-encoding'])
      return { format: trail.format, compression: trail.compression }
    },
    declaredBytes: declaredBytes(req),
    async receive(limits, watch) {
      ask()
      const { bytes, free } = await readBody(req, limits, watch)
      return { bytes, free, compression: trail.compression ?? 'identity' }
    },
    discard(limits) {
      ask()
      return discardBody(req, limits)
    },
    get gone() {
      return res.destroyed
    },
  }
}
