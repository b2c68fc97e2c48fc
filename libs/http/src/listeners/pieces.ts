// Ends connections whose bodies arrive in tiny pieces, even if no handler reads these bodies. Node's HTTP parser calls the server for each
// chunk. A body in one-byte chunks therefore takes a thousand times as much CPU time as the same bytes in one chunk.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { tiniestPieces } from '../bodies/read-body.ts'

/**
 * Maximum number of tiny pieces of a body. If a body has more, the server ends the connection. The reader rejects the body earlier, at
 * half of this number. The client therefore usually receives the reason before its connection ends.
 */
const maxPieces = 2 * tiniestPieces.count
/** Maximum number of tiny pieces of a body if the client is banned, or if all clients together have used up `allowanceOfAll`. */
const countOfBanned = 64
/**
 * Number of tiny pieces that all clients of a server together can send in one burst. After a burst, the clients can together send the same
 * number per second. A full burst takes about 30 ms of CPU time.
 */
const allowanceOfAll = 2 * maxPieces

export type PieceAllowance = () => boolean

/** All clients share one allowance. With separate allowances, clients at many addresses could each send the maximum. */
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
  readonly takePiece: PieceAllowance
  readonly onExcess: () => void
  /** Called with the size of each piece. */
  readonly onPiece?: (bytes: number) => void
}

/** Must be called before any code reads the body. */
export function limitPieces(body: Readable, { isBanned, takePiece, onExcess, onPiece }: PieceLimit): void {
  const push = body.push.bind(body)
  let [pieces, bytes, isEnded] = [0, 0, false]
  // The pieces are counted here, where the parser delivers them, and not in the reader of the body. The reader stops when the body is
  // rejected, and would not count the pieces that arrive afterwards.
  body.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    // After `onExcess`, the parser still delivers pieces that it has already read. They are dropped here.
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

/** The key of HTTPParser.kOnBody, the function that the parser calls for each piece. */
const onBody = 3

interface Parser {
  readonly socket: object | null
  [onBody]?: unknown
}

const skipped = new WeakSet<object>()
const canSkip = new WeakSet<Parser>()

/**
 * Makes the parser ignore all further pieces of this connection. The caller must close the connection afterwards. Without this call, the
 * parser would create a buffer for each of these pieces, up to ten thousand, even after the connection is destroyed.
 */
export function skipRestOfBody({ socket }: Pick<IncomingMessage, 'socket'>): void {
  skipped.add(socket)
  const { parser } = socket as { parser?: Parser | null }
  const deliver = parser?.[onBody]
  if (!parser || typeof deliver !== 'function' || canSkip.has(parser)) return
  canSkip.add(parser)
  // Node reuses a parser for other connections. The getter therefore hides `deliver` only while the parser's connection is in `skipped`.
  Object.defineProperty(parser, onBody, { get: () => (parser.socket && skipped.has(parser.socket) ? undefined : deliver) })
}
