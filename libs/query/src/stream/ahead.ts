// Reads the next slice of a stream while the client receives the current slice, so that the column store and the connection work in
// parallel. Because of this, one additional slice is in memory.
import type { Piece } from './format.ts'

export async function* ahead(pieces: AsyncGenerator<Piece, void, undefined>): AsyncGenerator<Piece, void, undefined> {
  let next = pieces.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done || value === undefined) return
      next = pieces.next()
      // The loop above awaits this promise, unless the client disconnects and the loop ends before that.
      next.catch(() => {})
      yield value
    }
  } finally {
    await pieces.return()
  }
}
