// Traces a request as a span, until the end of its response. Ignores trace headers of clients, because they could make the server record
// every request.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { annotate, isTracing, markFailed, SpanKind, traced } from '@svc-server/tracing'
import type { StreamHandler } from './streams.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export const tracedRequests =
  (handle: Handler): Handler =>
  (request, response) => {
    if (!isTracing()) return handle(request, response)
    const { method = '' } = request
    const attributes = { 'http.request.method': method, 'network.protocol.version': request.httpVersion }
    return traced(method, { kind: SpanKind.SERVER, root: true, attributes }, async () => {
      const closed = new Promise(resolve => response.once('close', resolve))
      await handle(request, response)
      await closed
      const { statusCode } = response
      annotate({ 'http.response.status_code': statusCode })
      if (statusCode >= 500) markFailed(`answered ${statusCode}`)
    })
  }

export const tracedStreams =
  (handle: StreamHandler): StreamHandler =>
  (stream, headers, rawHeaders) => {
    if (!isTracing()) return handle(stream, headers, rawHeaders)
    const attributes = { 'rpc.system': 'grpc' }
    void traced('gRPC', { kind: SpanKind.SERVER, root: true, attributes }, async () => {
      const closed = new Promise(resolve => stream.once('close', resolve))
      handle(stream, headers, rawHeaders)
      await closed
    }).catch(error => stream.destroy(error))
  }
