// Writes the items that cannot be stored to the dead-letter topic, so that a bad item does not affect other items.
import type { NewRecord } from '@svc-server/log'
import type { Rejection } from './chunk.ts'
import { createLimit, type DeadLetterLimit, type Tally } from './dead-letter-limit.ts'

/**
 * A rejection, and where its item came from. If a dead letter is replayed and then rejected again, the item keeps its original topic,
 * partition, offset, and index.
 */
export interface DeadLetterItem extends Rejection {
  readonly topic: string
  readonly partition: number
  readonly atMs: number
}

export interface DeadLetterOptions {
  readonly topic: string
  readonly encode: (item: DeadLetterItem) => Uint8Array
  /** Raw bytes beyond this length are cut off, and the message reports the cut. The original record remains on its topic. */
  readonly maxRawBytes: number
  readonly clock: () => number
  readonly limit: DeadLetterLimit
}

export interface DeadLetters {
  /**
   * Throws `dead_letter_limit` if the chunk must not be stored or acknowledged. The call does not change the window, so a retry has the
   * same outcome as the first attempt.
   */
  admit(tally: Tally): void
  /**
   * Adds the items of an acknowledged chunk to the window. A chunk is added only when it is acknowledged, so several attempts count once.
   */
  acknowledged(tally: Tally): void
  /** Returns the records, by topic, that must be appended by the commit that acknowledges the chunk. */
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
  // If a dead letter were larger than the record limit, it could never be appended, and it would block its partition forever.
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
