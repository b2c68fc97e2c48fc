// Ends connections whose bodies arrive in tiny pieces, whether or not a handler reads them. The parser calls the server for every chunk of
// a chunked body and for every frame of a stream. A body of one-byte chunks costs a thousand times as much as its bytes, and a single read
// of the socket contains ten thousand chunks.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { tiniestPieces } from '../bodies/read-body.ts'

/** The reader of a body already rejects it at half of this number of pieces, so that the client can see the reason. */
const maxPieces = 2 * tiniestPieces.count
/** Maximum number of tiny pieces of a body from a banned client, or after the server's allowance is used up. */
const countOfBanned = 64
/**
 * Tiny pieces that all clients of a server together can send in a burst and per second. A full burst of tiny pieces takes about 30 ms of
 * CPU time.
 */
const allowanceOfAll = 2 * maxPieces

/** Takes one tiny piece from the allowance; false if none is left. */
export type PieceAllowance = () => boolean

/** Limits the tiny pieces of all clients together. With separate allowances, clients at many addresses could each send the maximum. */
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
  /** All bodies of a server share this allowance. */
  readonly takePiece: PieceAllowance
  /** Ends the connection. */
  readonly onExcess: () => void
  /** Called with the size of each piece of the body. */
  readonly onPiece?: (bytes: number) => void
}

/** Must be called before any code reads the body. */
export function limitPieces(body: Readable, { isBanned, takePiece, onExcess, onPiece }: PieceLimit): void {
  const push = body.push.bind(body)
  let [pieces, bytes, isEnded] = [0, 0, false]
  // Counts pieces where the parser delivers them, because a reader stops when its body is rejected.
  body.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    // The parser also delivers data that it had read before the connection ended.
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

/** HTTPParser.kOnBody is the key of the function that Node's parser of HTTP/1 calls for each piece. */
const onBody = 3

interface Parser {
  readonly socket: object | null
  [onBody]?: unknown
}

const skipped = new WeakSet<object>()
const canSkip = new WeakSet<Parser>()

/**
 * Makes the parser ignore all further pieces on this connection. Must be called only for a connection that is about to close. Without
 * `skipRestOfBody`, the parser would create a buffer for each remaining piece of the last read (up to ten thousand), even after the
 * connection is destroyed.
 */
export function skipRestOfBody({ socket }: Pick<IncomingMessage, 'socket'>): void {
  skipped.add(socket)
  const { parser } = socket as { parser?: Parser | null }
  const deliver = parser?.[onBody]
  if (!parser || typeof deliver !== 'function' || canSkip.has(parser)) return
  canSkip.add(parser)
  // Node reuses a parser for other connections. Ignores pieces only while the parser's current connection is one of those in `skipped`.
  Object.defineProperty(parser, onBody, { get: () => (parser.socket && skipped.has(parser.socket) ? undefined : deliver) })
}
