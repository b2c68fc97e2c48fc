// How many rows the next slice of a stream has: so many that their bytes are some MiB, as those of the slices before tell.
import type { Piece } from './format.ts'

/** Around its first and its last key a slice reads rows of its neighbors, from every part of the table: the larger it is, the fewer they are beside its own. */
const targetBytes = 16 * 1024 * 1024
const [first, most] = [500, 20_000]

export interface TargetRows {
  readonly next: number
  sent(piece: Piece): void
  /** So many were too many. */
  halve(rows: number): void
}

export function targetRows(): TargetRows {
  let next = first
  return {
    get next() {
      return next
    },
    halve(rows) {
      next = Math.max(1, rows >> 1)
    },
    sent({ bytes, rows }) {
      if (rows === 0) return
      const fitting = Math.floor((rows * targetBytes) / Math.max(bytes.length, 1))
      // No slice is more than four times the one before: one of short rows says little of the next.
      next = Math.max(1, Math.min(fitting, 4 * next, most))
    },
  }
}
