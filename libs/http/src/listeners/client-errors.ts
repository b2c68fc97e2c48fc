// What a server says to bytes that are no request: the statuses of node:http with a sentence. Who spoke TLS to a port without it is told apart: it is the
// commonest mistake, and nothing else would show it.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

/** The first byte of a record of TLS that carries a handshake; no method begins with it. */
const handshakeRecord = 0x16

const answers: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request line and headers are larger than 16 KiB together.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The extensions of a chunk are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}
const otherwise = ['400 Bad Request', 'This is no HTTP request.'] as const

function answerOf(code: string | undefined): string {
  const [status, message] = answers[code ?? ''] ?? otherwise
  const body = JSON.stringify({ message })
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** `isAnswering`: an answer has begun on that connection, and another would stand in the middle of it. */
export function answerClientErrors(server: Server, isAnswering: (socket: Socket) => boolean, onTls?: (socket: Socket) => void): void {
  server.on('clientError', (error: ParseError, duplex) => {
    const socket = duplex as Socket
    if (error.rawPacket?.[0] === handshakeRecord && !('encrypted' in socket)) onTls?.(socket)
    if (socket.writable && error.code !== 'ECONNRESET' && !isAnswering(socket)) socket.write(answerOf(error.code))
    socket.destroy()
  })
}
