// A request over HTTP/1.1.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { declaredBytes, discardBody, readBody } from '@svc-server/http/bodies'
import { parseContentEncoding, parseMediaType } from '@svc-server/otlp/media-type'
import type { Exchange } from '../exchange.ts'
import type { RequestContext } from '../request-context.ts'

/** `awaitsContinue`: the client sends the body only after the status 100 (Expect: 100-continue). */
export function httpExchange(req: IncomingMessage, res: ServerResponse, context: RequestContext, awaitsContinue: boolean): Exchange {
  const ask = () => {
    if (awaitsContinue) res.writeContinue()
  }
  return {
    request: req,
    context,
    encodings() {
      context.format = parseMediaType(req.headers['content-type'])
      context.compression = parseContentEncoding(req.headers['content-encoding'])
      return { format: context.format, compression: context.compression }
    },
    declaredBytes: declaredBytes(req),
    async receive(limits, watch) {
      ask()
      const { bytes, free } = await readBody(req, limits, watch)
      return { bytes, free, compression: context.compression ?? 'identity' }
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
