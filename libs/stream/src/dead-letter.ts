// Keeps what cannot be stored, so that a bad item hurts only itself, and stops when too much is bad: then the fault is
// ours (a deploy, a schema), and draining a topic into the dead letters would lose its order and its place.
import { AppError } from '@svc-server/errors'
import type { NewRecord } from '@svc-server/log'
import type { Rejection } from './chunk.ts'

/** A rejection with its whole provenance: the same item has the same topic, partition, offset and index however often it is rejected. */
export interface DeadLetterItem extends Rejection {
  readonly topic: string
  readonly partition: number
  readonly atMs: number
}

export interface DeadLetterOptions {
  readonly topic: string
  readonly encode: (item: DeadLetterItem) => Uint8Array
  /** Longer raw bytes are cut; the message then says so. The record itself stays on its topic. */
  readonly maxRawBytes: number
  readonly clock: () => number
  readonly limit: DeadLetterLimit
}

/** Halt when, among the last `windowItems` items, at least `minRejected` and more than `maxShare` of them were rejected. */
export interface DeadLetterLimit {
  readonly windowItems: number
  readonly minRejected: number
  readonly maxShare: number
}

export interface DeadLetters {
  /** Throws `dead_letter_limit` when a chunk's rejections are too many: nothing of it may be stored or acknowledged then. */
  admit(items: number, rejected: readonly Rejection[]): void
  /** The records to append, by topic, in the commit that acknowledges the chunk. */
  appends(from: { topic: string; partition: number }, rejected: readonly Rejection[]): ReadonlyMap<string, readonly NewRecord[]>
}

export function createDeadLetters(options: DeadLetterOptions): DeadLetters {
  return {
    admit: createLimit(options.limit),
    appends: ({ topic, partition }, rejected) =>
      new Map(rejected.length === 0 ? [] : [[options.topic, rejected.map(rejection => letter(options, topic, partition, rejection))]]),
  }
}

function letter({ encode, maxRawBytes, clock }: DeadLetterOptions, topic: string, partition: number, rejection: Rejection): NewRecord {
  const { raw, message } = rejection
  // A letter that is larger than a record may be would hold up its partition for ever.
  const kept =
    raw.byteLength <= maxRawBytes
      ? rejection
      : {
          ...rejection,
          raw: raw.subarray(0, maxRawBytes),
          message: `${message} (the first ${maxRawBytes} of ${raw.byteLength} bytes are kept)`,
        }
  return { key: Buffer.from(`${topic}/${partition}`), value: encode({ ...kept, topic, partition, atMs: clock() }) }
}

function createLimit({ windowItems, minRejected, maxShare }: DeadLetterLimit): DeadLetters['admit'] {
  const recent: { items: number; rejected: number }[] = []
  let sum = { items: 0, rejected: 0 }
  return (items, rejections) => {
    const tally = { items, rejected: rejections.length }
    const seen = { items: sum.items + tally.items, rejected: sum.rejected + tally.rejected }
    const [first] = rejections
    // A chunk without rejections never halts, whatever came before it.
    if (first !== undefined && seen.rejected >= minRejected && seen.rejected > seen.items * maxShare) {
      throw new AppError(
        'dead_letter_limit',
        `${seen.rejected} of the last ${seen.items} items were rejected. The first of this chunk: ${first.reason}: ${first.message}`,
        { rejected: seen.rejected, items: seen.items, reason: first.reason },
      )
    }
    recent.push(tally)
    sum = seen
    while (recent.length > 1 && sum.items - recent[0]!.items >= windowItems) {
      const oldest = recent.shift()!
      sum = { items: sum.items - oldest.items, rejected: sum.rejected - oldest.rejected }
    }
  }
}
