// The load that a request puts on the stages behind the gateway, in units of work. Shares are measured in it.
import type { TraceScan } from '@svc-server/otlp/scan'

/** Units of work to store spans: mapping them, counting their tokens, and moving their bytes through encoder, hash and insert. */
export const loadOf = ({ work, rowBytes, countedBytes }: Pick<TraceScan, 'work' | 'rowBytes' | 'countedBytes'>): number =>
  work + rowBytes / bytesPerUnit + countedBytes / countedBytesPerUnit

/** Encoder and column store together take a tenth of a second for a megabyte of rows. */
const bytesPerUnit = 16
/** For unfamiliar text, the tokenizer takes half a microsecond per byte at worst; for prose, a tenth. */
const countedBytesPerUnit = 4
