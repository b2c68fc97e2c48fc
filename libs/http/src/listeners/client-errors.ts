// Responds to bytes that are not HTTP. Also detects a client that uses TLS on a port without TLS, a frequent mistake.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

/** First byte of a TLS handshake. No HTTP method begins with this byte. */
const handshakeRecord = 0x16

const answers: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request line and the headers together are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The extensions of a chunk are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}
const otherwise = ['400 Bad Request', 'The request is not valid HTTP.'] as const

function answerOf(code: string | undefined): string {
  const [status, message] = answers[code ?? ''] ?? otherwise
  const body = JSON.stringify({ message })
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/**
 * If a response on the socket has already begun (`isAnswering`), this function sends none, because a second response would damage the
 * first.
 */
export function answerClientErrors(server: Server, isAnswering: (socket: Socket) => boolean, onTls?: (socket: Socket) => void): void {
  server.on('clientError', (error: ParseError, duplex) => {
    const socket = duplex as Socket
    if (error.rawPacket?.[0] === handshakeRecord && !('encrypted' in socket)) onTls?.(socket)
    if (socket.writable && error.code !== 'ECONNRESET' && !isAnswering(socket)) socket.write(answerOf(error.code))
    socket.destroy()
  })
}
