// Values packed into one buffer for a reading thread.
import { copyBytes } from '@svc-server/column-store/native'

/**
 * Uses memory that both threads share: V8 counts moved memory as newly allocated in the receiving thread and collects
 * its heap (ADR 0036).
 */
export interface PackedValues {
  /** End of each value in `buffer`. */
  readonly ends: readonly number[]
  /** May be larger than the values. */
  readonly buffer: SharedArrayBuffer
}

const stepBytes = 256 * 1024

/** Copies compressed bytes once; the caller keeps its own. Reuses `spare` when its size is about right. */
export function packValues(values: readonly Uint8Array[], spare: SharedArrayBuffer | undefined): PackedValues {
  const needed = values.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // A far too large spare buffer comes from a past backlog and is released.
  const fits = spare !== undefined && spare.byteLength >= needed && spare.byteLength <= 4 * Math.max(needed, stepBytes)
  const buffer = fits ? spare : new SharedArrayBuffer(Math.ceil(needed / stepBytes) * stepBytes)
  const bytes = new Uint8Array(buffer)
  let end = 0
  const ends = values.map(value => {
    copyBytes(value, 0, value.byteLength, bytes, end)
    return (end += value.byteLength)
  })
  return { ends, buffer }
}

export const unpackValues = ({ ends, buffer }: PackedValues): Uint8Array[] =>
  ends.map((end, index) => {
    const start = index === 0 ? 0 : ends[index - 1]!
    return new Uint8Array(buffer, start, end - start)
  })
