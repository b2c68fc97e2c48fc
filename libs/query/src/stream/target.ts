// Chooses the row count of the next slice from the bytes per row of earlier slices, so that each slice has a few MiB.
import type { Piece } from './format.ts'

/**
 * Intended size of a slice. For each slice, the column store also reads neighboring rows in every part of the table. Larger slices read
 * fewer neighboring rows in total.
 */
const targetBytes = 24 * 1024 * 1024
const [first, most] = [500, 20_000]

export interface TargetRows {
  readonly next: number
  sent(piece: Piece): void
  /** The caller must call this if a slice of `rows` rows was too large. The next slice then gets half as many rows. */
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
      // The row count grows at most fourfold per slice, because short rows can be followed by much longer rows.
      next = Math.max(1, Math.min(fitting, 4 * next, most))
    },
  }
}
