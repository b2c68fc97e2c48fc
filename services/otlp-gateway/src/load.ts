// Computes the work that a request causes in the services that process its records. The work is in the units in which a project's share is
// measured.
import type { TraceScan } from '@svc-server/otlp/scan'

export const loadOf = ({ work, rowBytes, countedBytes }: Pick<TraceScan, 'work' | 'rowBytes' | 'countedBytes'>): number =>
  work + rowBytes / bytesPerUnit + countedBytes / countedBytesPerUnit

/** The encoder and the column store need 0.1 s per megabyte of rows. */
const bytesPerUnit = 16
/** The tokenizer needs at most 0.5 µs per byte of unfamiliar text, and 0.05 µs per byte of prose. */
const countedBytesPerUnit = 4
