// Ends connections whose bodies arrive in tiny pieces, whether or not a handler reads the bodies. The parser calls the server for every
// chunk of a chunked body and every frame of a stream, so a body of one-byte chunks costs a thousand times as much as its bytes, and one
// read of the socket has ten thousand of them.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { tiniestPieces } from '../bodies/read-body.ts'

/** The reader of a body already rejects the body at half of this number, so that the client can see the reason. */
const maxPieces = 2 * tiniestPieces.count
/** Maximum pieces of a body if its client has just been banned, or if the server's allowance is used up. */
const countOfBanned = 64
/** Tiny pieces that all clients of a server can send together, in a burst and per second. A full burst costs about 30 ms of CPU. */
const allowanceOfAll = 2 * maxPieces

/** Takes one tiny piece out of the allowance. False if the allowance is used up. */
export type PieceAllowance = () => boolean

/** Limits the tiny pieces of many clients together. Without a common limit, each of many addresses could send the maximum. */
export function createPieceAllowance(clock: () => number = () => performance.now()): PieceAllowance {
  let left = allowanceOfAll
  let atMs = clock()
  return () => {
    const nowMs = clock()
    left = Math.min(allowanceOfAll, left + ((nowMs - atMs) / 1000) * allowanceOfAll)
    atMs = nowMs
    if (left < 1) return false
    left--
    return true
  }
}

export interface PieceLimit {
  readonly isBanned: () => boolean
  /** Shared by all bodies of a server. */
  readonly takePiece: PieceAllowance
  /** Ends the connection. */
  readonly onExcess: () => void
  /** Receives the size of each piece. */
  readonly onPiece?: (bytes: number) => void
}

/** Must be called before any code reads the body. */
export function limitPieces(body: Readable, { isBanned, takePiece, onExcess, onPiece }: PieceLimit): void {
  const push = body.push.bind(body)
  let [pieces, bytes, isEnded] = [0, 0, false]
  // Pieces are counted where the parser delivers them, because other code than the reader discards a rejected body.
  body.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    // The parser still delivers data that it had read before the end of the connection.
    if (isEnded) return false
    if (chunk === null) return push(chunk)
    pieces++
    bytes += chunk.length
    onPiece?.(chunk.length)
    const isTiny = pieces > countOfBanned && bytes < pieces * tiniestPieces.averageBytes
    if (isTiny && (pieces > maxPieces || isBanned() || !takePiece())) {
      isEnded = true
      onExcess()
      return false
    }
    return push(chunk, encoding)
  }
}

/** HTTPParser.kOnBody, the key of the function to which Node's parser of HTTP/1 passes each piece. */
const onBody = 3

interface Parser {
  readonly socket: object | null
  [onBody]?: unknown
}

const skipped = new WeakSet<object>()
const canSkip = new WeakSet<Parser>()

/**
 * Stops the parser from passing on pieces that arrive on this connection, which must be about to close. Even after the connection is
 * destroyed, the parser passes on the pieces of the last read, up to ten thousand, and creates a buffer for each piece.
 */
export function skipRestOfBody({ socket }: Pick<IncomingMessage, 'socket'>): void {
  skipped.add(socket)
  const { parser } = socket as { parser?: Parser | null }
  const deliver = parser?.[onBody]
  if (!parser || typeof deliver !== 'function' || canSkip.has(parser)) return
  canSkip.add(parser)
  // Node reuses parsers, so that the connection that a parser serves at the moment decides.
  Object.defineProperty(parser, onBody, { get: () => (parser.socket && skipped.has(parser.socket) ? undefined : deliver) })
}
