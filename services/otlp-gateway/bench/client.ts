// The client of the bench runs in a separate process, so that the bench does not measure the client's CPU time. The client builds each HTTP
// message once and writes it directly to sockets.
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { bodiesOf, type Kind } from './bodies.ts'

export interface Round {
  readonly kind: Kind
  readonly protocol: 'http' | 'grpc'
  readonly port: number
  readonly connections: number
  readonly requests: number
  readonly isTls?: boolean
  /** If true, each request opens a new connection and has its own TLS handshake. */
  readonly isFresh?: boolean
}

const answered = Buffer.from('HTTP/1.1 200 OK')

async function open({ port, isTls = false }: Round) {
  // The bench's certificate is self-signed, so the client does not verify it. The measured times therefore do not include the verification
  // of a certificate.
  const socket = isTls ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1')
  socket.setNoDelay()
  await once(socket, isTls ? 'secureConnect' : 'connect')
  return socket
}

async function runHttp(round: Round): Promise<void> {
  const { kind, connections, requests, isFresh = false } = round
  const { contentType, contentEncoding, bodies } = bodiesOf(kind)
  const messages = bodies.map(body => {
    const lines = ['POST /v1/traces HTTP/1.1', 'host: bench', 'authorization: Basic YmVuY2g6YmVuY2g=', `content-type: ${contentType}`]
    const head = [...lines, `content-encoding: ${contentEncoding}`, `content-length: ${body.length}`, '', ''].join('\r\n')
    return Buffer.concat([Buffer.from(head), body])
  })
  let next = 0
  const worker = async () => {
    let socket = await open(round)
    for (let sent = 0; next < requests; sent++) {
      if (isFresh && sent > 0) {
        socket.destroy()
        socket = await open(round)
      }
      socket.write(messages[next++ % messages.length]!)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      if (!answer.subarray(0, answered.length).equals(answered)) throw new Error(`Not accepted: ${answer}`)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

async function runGrpc({ kind, port, connections, requests }: Round): Promise<void> {
  const { contentEncoding, bodies } = bodiesOf(kind)
  const messages = bodies.map(body => {
    const prefix = Buffer.alloc(5)
    prefix[0] = contentEncoding === 'identity' ? 0 : 1
    prefix.writeUInt32BE(body.length, 1)
    return Buffer.concat([prefix, body])
  })
  const headers = {
    ':method': 'POST',
    ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    'content-type': 'application/grpc',
    'grpc-encoding': contentEncoding,
    authorization: 'Basic YmVuY2g6YmVuY2g=',
  }
  let next = 0
  const worker = async () => {
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    while (next < requests) {
      const stream = session.request(headers)
      stream.resume().end(messages[next++ % messages.length]!)
      const [trailers] = (await once(stream, 'trailers')) as [Record<string, unknown>]
      if (trailers['grpc-status'] !== '0') throw new Error(`Not accepted: ${JSON.stringify(trailers)}`)
    }
    session.destroy()
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

const run = (round: Round) => (round.protocol === 'grpc' ? runGrpc(round) : runHttp(round))

process.on('message', (round: Round) => {
  run(round).then(() => process.send?.('done'))
})
process.send?.('ready')
