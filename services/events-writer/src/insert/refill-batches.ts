// Divides the rows of a refill (see `refill.ts`) into batches. One statement copies one batch. The same rows always give the same batches
// and tokens.
import { createHash } from 'node:crypto'
import type { RowPlace } from '../destinations/row-encoder.ts'

export interface RefillBatch {
  readonly rows: readonly RowPlace[]
  /** Hash of the keys. The token contains this hash, because different batches must not share a token. */
  readonly hash: string
}

// Maximum bytes of a statement with its keys. The engine accepts 256 KiB. The keys are literals in the statement, because a URL is too
// short for parameters of this length.
const batchBytes = 128 * 1024
const valueBytes = 24

export function refillBatches(rows: readonly RowPlace[], maxBytes = batchBytes): readonly RefillBatch[] {
  const batches: RefillBatch[] = []
  let batch: RowPlace[] = []
  let bytes = 0
  const close = () => {
    const hash = createHash('sha256')
      .update(JSON.stringify(batch.map(({ key, versionUs }) => [...key, versionUs])))
      .digest('hex')
      .slice(0, 32)
    batches.push({ rows: batch, hash })
    batch = []
    bytes = 0
  }
  for (const row of rows.toSorted(byKey)) {
    const more = bytesOf(row)
    if (batch.length > 0 && bytes + more > maxBytes) close()
    batch.push(row)
    bytes += more
  }
  if (batch.length > 0) close()
  return batches
}

/** Overestimates the bytes of a key in a query: the function assumes that every character of a text must be escaped. */
const bytesOf = ({ key }: RowPlace): number =>
  key.reduce<number>((sum, value) => sum + valueBytes + (typeof value === 'string' ? 2 * Buffer.byteLength(value) : 0), valueBytes)

function byKey(a: RowPlace, b: RowPlace): number {
  for (const [at, value] of a.key.entries()) {
    const other = b.key[at]!
    if (value !== other) return value < other ? -1 : 1
  }
  return a.versionUs - b.versionUs
}
