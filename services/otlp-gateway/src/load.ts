// Computes the work that a request causes in the services that process its records. The result is a number of units of work. A
// project's share of work per second (`SVC_PROJECT_WORK_PER_SECOND`) is measured in the same unit.
import type { TraceScan } from '@svc-server/otlp/scan'

export const loadOf = ({ work, rowBytes, countedBytes }: Pick<TraceScan, 'work' | 'rowBytes' | 'countedBytes'>): number =>
  work + rowBytes / bytesPerUnit + countedBytes / countedBytesPerUnit

/** The encoder and the column store together need 0.1 s per megabyte of rows. */
const bytesPerUnit = 16
/** The tokenizer needs at most 0.5 µs per byte of unfamiliar text (2 µs per unit), and 0.05 µs per byte of prose (0.2 µs per unit). */
const countedBytesPerUnit = 4
