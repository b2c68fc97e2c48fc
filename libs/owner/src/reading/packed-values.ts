// Values that cross to a reading thread, packed into one buffer.
import { copyBytes } from '@svc-server/column-store/native'

/** In memory that both threads see: what is moved counts in V8 as if it had been allocated where it arrives, and has it collect its heap (ADR 0036). */
export interface PackedValues {
  /** End of each value in `buffer`. */
  readonly ends: readonly number[]
  /** May be larger than the values. */
  readonly buffer: SharedArrayBuffer
}

const stepBytes = 256 * 1024

/**
 * One copy, of compressed bytes: the caller keeps its own. Into `spare` where that has about the right size.
 */
export function packValues(values: readonly Uint8Array[], spare: SharedArrayBuffer | undefined): PackedValues {
  const needed = values.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // A spare one that is far too large was for a backlog that is over, and is given back.
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
