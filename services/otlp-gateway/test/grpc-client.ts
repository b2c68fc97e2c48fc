// Sends gRPC requests as raw bytes. The requests can be invalid.
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { projectAuthorization } from './gateway.ts'
import { readStatus } from './requests.ts'

const exportTraces = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

export const exportHeaders: OutgoingHttpHeaders = {
  ':method': 'POST',
  ':path': exportTraces,
  'content-type': 'application/grpc',
  te: 'trailers',
  authorization: projectAuthorization,
}

export interface GrpcAnswer {
  readonly http: number
  /** The gRPC status from the trailers. A "Trailers-Only" response has the status in its headers instead. */
  readonly status: number | undefined
  readonly message: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The error code with which the stream ended. */
  readonly code: number
}

export interface CallOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | null>>
  /** The request body with its gRPC prefix. */
  readonly bytes?: Uint8Array
  readonly unended?: boolean
}

export function framed(message: Uint8Array, compressed = false): Buffer {
  const prefix = Buffer.alloc(5)
  prefix[0] = compressed ? 1 : 0
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

export function openSession(port: number, localAddress = '127.0.0.1'): ClientHttp2Session {
  const createConnection = () => connectSocket({ host: '127.0.0.1', port, localAddress })
  const session = connect(`http://127.0.0.1:${port}`, { createConnection })
  session.on('error', () => {})
  return session
}

export function call(
  session: ClientHttp2Session,
  { path = exportTraces, headers = {}, bytes, unended = false }: CallOptions,
): Promise<GrpcAnswer> {
  const all: OutgoingHttpHeaders = { ...exportHeaders, ':path': path }
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete all[name]
    else all[name] = value
  }
  const { promise, resolve } = Promise.withResolvers<GrpcAnswer>()
  const stream = session.request(all)
  let head: IncomingHttpHeaders = {}
  let trailers: IncomingHttpHeaders = {}
  const chunks: Buffer[] = []
  stream.on('response', found => (head = found)).on('trailers', found => (trailers = found))
  stream.on('data', chunk => chunks.push(chunk)).on('error', () => {})
  stream.on('close', () => {
    const said = { ...head, ...trailers }
    resolve({
      http: Number(head[':status'] ?? 0),
      status: said['grpc-status'] === undefined ? undefined : Number(said['grpc-status']),
      message: decodeURIComponent(String(said['grpc-message'] ?? '')),
      headers: said,
      body: Buffer.concat(chunks),
      code: stream.rstCode ?? constants.NGHTTP2_NO_ERROR,
    })
  })
  if (bytes !== undefined) stream.write(bytes)
  if (!unended) stream.end()
  return promise
}

export function detailsOf({ headers }: GrpcAnswer): { readonly code: number; readonly message: string; readonly retries: boolean } {
  const body = Buffer.from(String(headers['grpc-status-details-bin']), 'base64')
  return { ...readStatus({ headers: {}, body }), retries: body.includes('google.rpc.RetryInfo') }
}
