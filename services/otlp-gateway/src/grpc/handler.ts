// OTLP over gRPC, with the same stages as OTLP over HTTP.
import { AppError } from '@svc-server/errors'
import type { StreamHandler } from '@svc-server/http/listeners'
import { encodeTraceResponse, type PartialSuccess } from '@svc-server/otlp/answer'
import type { Exchange } from '../exchange.ts'
import { newRequestContext } from '../request-context.ts'
import { contextHeaders, type GatewayRequests } from '../requests.ts'
import { type GrpcAnswer, sendAnswer } from './answers.ts'
import { grpcExchange } from './exchange.ts'
import { methodOf } from './methods.ts'

export interface GrpcHandlerOptions {
  readonly requests: GatewayRequests
  readonly serving: () => boolean
  readonly bodyTimeoutMs: number
  readonly exports: Readonly<Record<'traces' | 'metrics', (exchange: Exchange) => Promise<PartialSuccess | undefined>>>
}

/** Encodes grpc.health.v1.HealthCheckResponse. */
const healthMessage = (serving: boolean): Buffer => Buffer.from([0x08, serving ? 1 : 2])

const mediaTypes = /^application\/grpc(?:\+proto)?(?:\s*;|$)/i

const maxHealthBytes = 1024

export function createGrpcHandler({ requests, serving, bodyTimeoutMs, exports }: GrpcHandlerOptions): StreamHandler {
  async function answerOf(exchange: Exchange): Promise<GrpcAnswer> {
    const { request, context } = exchange
    const { ':method': method, 'content-type': contentType = '' } = request.headers
    if (!/^application\/grpc\b/i.test(contentType)) return { kind: 'http', status: 415 }
    if (method !== 'POST') return { kind: 'http', status: 405 }
    if (!mediaTypes.test(contentType))
      throw new AppError('content_type_unsupported', `Messages of ${contentType} are not accepted; send protobuf.`)
    if (context.endpoint === 'health') {
      // The limit is small, because the caller is not authenticated.
      await exchange.discard({ maxBytes: maxHealthBytes, timeoutMs: bodyTimeoutMs })
      return { kind: 'message', message: healthMessage(serving()) }
    }
    if (context.endpoint === 'logs') throw new AppError('not_found', 'This server stores traces, not log records.')
    if (context.endpoint !== 'traces' && context.endpoint !== 'metrics') throw new AppError('not_found', 'The method does not exist.')
    const notice = await exports[context.endpoint](exchange)
    return { kind: 'message', message: encodeTraceResponse('protobuf', notice) }
  }

  return (stream, headers, rawHeaders) => {
    const context = newRequestContext('grpc', methodOf(headers[':path']))
    const exchange = grpcExchange(stream, headers, rawHeaders, context)
    requests.run<GrpcAnswer>({
      context,
      answer: () => answerOf(exchange),
      refusal: error => ({ kind: 'refused', error }),
      statusOf: answer => (answer.kind === 'refused' ? answer.error.definition.http : answer.kind === 'http' ? answer.status : 200),
      get gone() {
        return stream.destroyed
      },
      send: answer => sendAnswer(stream, answer, contextHeaders(context)),
      abort: () => stream.destroy(),
    })
  }
}
