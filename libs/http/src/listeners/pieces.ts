// Ends connections whose bodies arrive in tiny pieces, read or not. The parser calls the server for every chunk of a chunked body
// and every frame of a stream, so a body of one-byte chunks costs a thousand times as much as its bytes, and one read of the
// socket has ten thousand of them.
import type { Readable } from 'node:stream'
import { tiniestPieces } from '../bodies/read-body.ts'

/** The reader of a body already rejects the body at half of this number, so that the client can see the reason. */
const maxPieces = 2 * tiniestPieces.count
/** Maximum pieces on later connections of a client that has just been banned. */
const countOfBanned = 64

export interface PieceLimit {
  readonly isBanned: () => boolean
  /** Ends the connection. */
  readonly onExcess: () => void
  /** Receives the size of each piece. */
  readonly onPiece?: (bytes: number) => void
}

/** Must be called before any code reads the body. */
export function limitPieces(body: Readable, { isBanned, onExcess, onPiece }: PieceLimit): void {
  const push = body.push.bind(body)
  let [pieces, bytes, isEnded] = [0, 0, false]
  // Pieces are counted where the parser delivers them, because other code than the reader discards a rejected body.
  body.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    // The parser still delivers data that it had read before the end.
    if (isEnded) return false
    if (chunk === null) return push(chunk)
    pieces++
    bytes += chunk.length
    onPiece?.(chunk.length)
    if (pieces > countOfBanned && bytes < pieces * tiniestPieces.averageBytes && (pieces > maxPieces || isBanned())) {
      isEnded = true
      onExcess()
      return false
    }
    return push(chunk, encoding)
  }
}
