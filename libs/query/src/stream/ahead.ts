// Reads the next slice of a stream while the client receives the current one, so that the column store and the connection work
// in parallel. It holds one extra slice.
import type { Piece } from './format.ts'

export async function* ahead(pieces: AsyncGenerator<Piece, void, undefined>): AsyncGenerator<Piece, void, undefined> {
  let next = pieces.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done || value === undefined) return
      next = pieces.next()
      // The loop above awaits this promise, unless the client disconnects first and the loop ends.
      next.catch(() => {})
      yield value
    }
  } finally {
    await pieces.return()
  }
}
