// If an item cannot be stored, writes the item to the dead-letter topic. A bad item therefore does not affect other items.
import type { NewRecord } from '@svc-server/log'
import type { Rejection } from './chunk.ts'
import { createLimit, type DeadLetterLimit, type Tally } from './dead-letter-limit.ts'

/** A rejection, with the origin of the rejected item. If a dead letter is replayed and rejected again, it keeps its first origin. */
export interface DeadLetterItem extends Rejection {
  readonly topic: string
  readonly partition: number
  readonly atMs: number
}

export interface DeadLetterOptions {
  readonly topic: string
  readonly encode: (item: DeadLetterItem) => Uint8Array
  /** Longer raw bytes are truncated. The original record stays on its topic. */
  readonly maxRawBytes: number
  readonly clock: () => number
  readonly limit: DeadLetterLimit
}

export interface DeadLetters {
  /**
   * Throws `dead_letter_limit` if the chunk must not be stored or acknowledged. This method does not add the items to the window, so a
   * retry of the chunk has the same outcome.
   */
  admit(tally: Tally): void
  /** Adds the items of an acknowledged chunk to the window. */
  acknowledged(tally: Tally): void
  /** Returns the dead letters of the chunk by topic. The dead letters must be appended together with the commit of the chunk. */
  appends(from: { topic: string; partition: number }, rejected: readonly Rejection[]): ReadonlyMap<string, readonly NewRecord[]>
}

export function createDeadLetters(options: DeadLetterOptions): DeadLetters {
  return {
    ...createLimit(options.limit),
    appends: ({ topic, partition }, rejected) =>
      new Map(rejected.length === 0 ? [] : [[options.topic, rejected.map(rejection => deadLetter(options, topic, partition, rejection))]]),
  }
}

function deadLetter({ encode, maxRawBytes, clock }: DeadLetterOptions, topic: string, partition: number, rejection: Rejection): NewRecord {
  const { raw, message } = rejection
  // The raw bytes are cut, because a dead letter above the record limit would block its partition forever.
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
