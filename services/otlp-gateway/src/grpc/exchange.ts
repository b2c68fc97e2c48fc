// A unary gRPC call over HTTP/2, as defined in "gRPC over HTTP2", section "Requests". The request body consists of a compression flag, the
// length of the message, and one message.
import type { IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { AppError } from '@svc-server/errors'
import { discard, readPrefixed } from '@svc-server/http/bodies'
import type { Stream } from '@svc-server/http/listeners'
import { parseContentEncoding } from '@svc-server/otlp/media-type'
import type { Exchange } from '../exchange.ts'
import type { RequestContext } from '../request-context.ts'

const prefixBytes = 5

export function grpcExchange(
  stream: Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  context: RequestContext,
): Exchange {
  // A session that has ended has no socket.
  const remoteAddress = stream.session?.socket?.remoteAddress
  return {
    request: { headers, rawHeaders: [...rawHeaders], socket: { remoteAddress } as Socket },
    context,
    encodings() {
      context.format = 'protobuf'
      context.compression = parseContentEncoding(headers['grpc-encoding'] as string | undefined)
      return { format: context.format, compression: context.compression }
    },
    declaredBytes: undefined,
    async receive(limits, watch) {
      let isCompressed = false
      const prefix = {
        bytes: prefixBytes,
        lengthOf(head: Buffer) {
          if (head[0]! > 1) throw new AppError('bad_request', 'The first byte of the message must be 0 (uncompressed) or 1 (compressed).')
          isCompressed = head[0] === 1
          return head.readUInt32BE(1)
        },
      }
      const { bytes, free } = await readPrefixed(stream, prefix, limits, watch)
      const { compression = 'identity' } = context
      if (isCompressed && compression === 'identity') {
        throw new AppError('bad_request', 'The message is compressed, but the grpc-encoding header is missing.')
      }
      context.compression = isCompressed ? compression : 'identity'
      return { bytes, free, compression: context.compression }
    },
    discard: limits => discard(stream, { ...limits, maxBytes: limits.maxBytes + prefixBytes }),
    get gone() {
      return stream.destroyed
    },
  }
}
