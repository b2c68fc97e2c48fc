// Packs values into one buffer for a reading thread.
import { copyBytes } from '@svc-server/column-store/native'

/**
 * Values in memory that both threads share. If one thread moved the memory to the other thread instead, V8 would count the memory as newly
 * allocated and run a garbage collection (ADR 0036).
 */
export interface PackedValues {
  /** For each value, the index in `buffer` at which the value ends. */
  readonly ends: readonly number[]
  /** The buffer can be larger than the values. */
  readonly buffer: SharedArrayBuffer
}

const stepBytes = 256 * 1024

/** Copies the values into one buffer. Reuses `spare` if its size is suitable. */
export function packValues(values: readonly Uint8Array[], spare: SharedArrayBuffer | undefined): PackedValues {
  const needed = values.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // A buffer that is much larger than needed is not reused, so that its memory is released.
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
