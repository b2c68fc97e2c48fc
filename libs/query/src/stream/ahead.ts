// Reads the next slice of a stream while the client takes the one before: the column store and the connection work at the same time, and one slice more is held.
import type { Piece } from './format.ts'

export async function* ahead(pieces: AsyncGenerator<Piece, void, undefined>): AsyncGenerator<Piece, void, undefined> {
  let next = pieces.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done || value === undefined) return
      next = pieces.next()
      // It is awaited above, unless the client leaves before.
      next.catch(() => {})
      yield value
    }
  } finally {
    await pieces.return()
  }
}
