// Sends gRPC responses over HTTP/2, as defined in "gRPC over HTTP2", section "Responses". A response is either a message, whose status is
// in the trailers, or only a status.
import { constants, type OutgoingHttpHeaders } from 'node:http2'
import { type AppError, grpcCodes, retryAfterSeconds } from '@svc-server/errors'
import { noteAnswered, type Stream } from '@svc-server/http/listeners'
import { encodeStatus } from '@svc-server/otlp/answer'

export type GrpcAnswer =
  | { readonly kind: 'message'; readonly message: Buffer }
  | { readonly kind: 'refused'; readonly error: AppError }
  /** The response to a request that is not gRPC. The client that sent this request would not understand a gRPC status. */
  | { readonly kind: 'http'; readonly status: number }

const accepted: OutgoingHttpHeaders = { 'content-type': 'application/grpc', 'grpc-accept-encoding': 'identity,gzip,zstd,deflate' }

/** Maximum characters of a status message. The headers contain the message twice, and clients refuse headers that are too large. */
const maxMessageChars = 1000

/** After a response of the kind `refused` or `http`, the gateway ignores the rest of the request. */
export function sendAnswer(stream: Stream, answer: GrpcAnswer, headers: OutgoingHttpHeaders): void {
  if (stream.destroyed || stream.headersSent) return
  noteAnswered(stream, answer.kind === 'http' || (answer.kind === 'refused' && answer.error.definition.class === 'invalid'))
  if (answer.kind === 'http') stream.respond({ ':status': answer.status }, { endStream: true })
  else if (answer.kind === 'refused') stream.respond({ ...accepted, ...headers, ...statusOf(answer.error) }, { endStream: true })
  else {
    stream.respond({ ...accepted, ...headers }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(framed(answer.message))
    return
  }
  // RFC 9113 §8.1: after a complete response, the code NO_ERROR asks the client to stop sending, and the response stays valid.
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
}

/**
 * Adds the prefix of a gRPC message. The prefix consists of a flag, which is 0 for an uncompressed message, and the length of the message.
 */
function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(5 + message.length)
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, 5)
  return frame
}

function statusOf(error: AppError): OutgoingHttpHeaders {
  const { grpc, help } = error.definition
  const seconds = retryAfterSeconds(error)
  const whole = `${error.message} ${help}`
  const message = whole.length > maxMessageChars ? `${whole.slice(0, maxMessageChars)}…` : whole
  const details = encodeStatus('protobuf', grpcCodes[grpc], message, seconds === undefined ? {} : { retryAfterMs: seconds * 1000 })
  return {
    'grpc-status': String(grpcCodes[grpc]),
    'grpc-message': percentEncoded(message),
    'grpc-status-details-bin': details.toString('base64').replace(/=+$/, ''),
  }
}

/**
 * Writes the UTF-8 bytes of the percent sign, and of all characters outside of printable ASCII, as `%` and two hexadecimal digits (gRPC
 * over HTTP2, "Status-Message").
 */
const percentEncoded = (text: string): string =>
  text.toWellFormed().replace(/[^ -$&-~]+/gu, part =>
    Buffer.from(part)
      .reduce((all, byte) => `${all}%${byte.toString(16).padStart(2, '0')}`, '')
      .toUpperCase(),
  )
