// Computes the load that a request causes in the services after the gateway, in units of work. Units of work also measure the shares of
// projects.
import type { TraceScan } from '@svc-server/otlp/scan'

/** Units of work to store spans: mapping them, counting their tokens, and moving their bytes through encoder, hash and insert. */
export const loadOf = ({ work, rowBytes, countedBytes }: Pick<TraceScan, 'work' | 'rowBytes' | 'countedBytes'>): number =>
  work + rowBytes / bytesPerUnit + countedBytes / countedBytesPerUnit

/** The encoder and the column store together take a tenth of a second for a megabyte of rows. */
const bytesPerUnit = 16
/** The tokenizer takes at worst half a microsecond per byte of unfamiliar text, and a tenth of that for prose. */
const countedBytesPerUnit = 4
