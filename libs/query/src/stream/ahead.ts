// Reads the next slice of a stream while the client receives the current slice. The column store and the connection are thus busy at the
// same time. Reading ahead keeps one additional slice in memory.
import type { Piece } from './format.ts'

export async function* ahead(pieces: AsyncGenerator<Piece, void, undefined>): AsyncGenerator<Piece, void, undefined> {
  let next = pieces.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done || value === undefined) return
      next = pieces.next()
      // The loop awaits this promise later, unless the client disconnects and the loop ends. If nobody awaits the promise, its failure must
      // not be reported as unhandled.
      next.catch(() => {})
      yield value
    }
  } finally {
    await pieces.return()
  }
}
