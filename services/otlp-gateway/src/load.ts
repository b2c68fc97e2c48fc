// The load that a request puts on the stages behind the gateway, in units of work. Shares are measured in it.
import type { TraceScan } from '@svc-server/otlp/scan'

/** What storing spans takes: mapping them, counting their tokens, and their bytes on the way through encoder, hash and insert. */
export const loadOf = ({ work, rowBytes, countedBytes }: Pick<TraceScan, 'work' | 'rowBytes' | 'countedBytes'>): number =>
  work + rowBytes / bytesPerUnit + countedBytes / countedBytesPerUnit

/** A megabyte of rows takes a tenth of a second of encoder and column store together. */
const bytesPerUnit = 16
/** What a tokenizer does not know by heart takes it half a microsecond a byte at worst, prose a tenth. */
const countedBytesPerUnit = 4
