// What a server says to bytes that are no request. The same as node:http does by itself, and who spoke TLS to
// a port without it is told apart: it is the commonest mistake, and nothing else would show it.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

/** The first byte of a record of TLS that carries a handshake; no method begins with it. */
const handshakeRecord = 0x16

const answers: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** `isAnswering`: an answer has begun on that connection, and another would stand in the middle of it. */
export function answerClientErrors(server: Server, isAnswering: (socket: Socket) => boolean, onTls?: (socket: Socket) => void): void {
  server.on('clientError', (error: ParseError, duplex) => {
    const socket = duplex as Socket
    if (error.rawPacket?.[0] === handshakeRecord && !('encrypted' in socket)) onTls?.(socket)
    if (socket.writable && error.code !== 'ECONNRESET' && !isAnswering(socket)) {
      socket.write(`HTTP/1.1 ${answers[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
    }
    socket.destroy()
  })
}
