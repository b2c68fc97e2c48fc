// What crosses the border of the reading thread: records of one partition, packed into one buffer, and what each of them says about its trace.
import type { TraceCandidates } from '@svc-server/schema'

export interface ReaderData {
  readonly maxRecordBytes: number
  readonly brandAliases: readonly string[]
}

export interface PackedValues {
  /** End of each value in `bytes`. */
  readonly ends: readonly number[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type RecordReading =
  | { readonly ok: true; readonly spans: number; readonly candidates: TraceCandidates; readonly cut: number }
  | { readonly ok: false; readonly reason: string; readonly message: string; readonly projectId: string | null }

/** One copy, of compressed bytes: the caller keeps its own, which it publishes. */
export function packValues(values: readonly Uint8Array[]): PackedValues {
  const bytes = new Uint8Array(values.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let end = 0
  const ends = values.map(value => {
    bytes.set(value, end)
    return (end += value.byteLength)
  })
  return { ends, bytes }
}

export const unpackValues = ({ ends, bytes }: PackedValues): Uint8Array[] =>
  ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1]!, end))
