// Keeps items that cannot be stored as dead letters, so that a bad item affects only itself.
import type { NewRecord } from '@svc-server/log'
import type { Rejection } from './chunk.ts'
import { createLimit, type DeadLetterLimit, type Tally } from './dead-letter-limit.ts'

/**
 * A rejection with its whole provenance: an item keeps its topic, partition, offset and index however often it is
 * rejected.
 */
export interface DeadLetterItem extends Rejection {
  readonly topic: string
  readonly partition: number
  readonly atMs: number
}

export interface DeadLetterOptions {
  readonly topic: string
  readonly encode: (item: DeadLetterItem) => Uint8Array
  /** Longer raw bytes are cut, and the message notes it. The record itself stays on its topic. */
  readonly maxRawBytes: number
  readonly clock: () => number
  readonly limit: DeadLetterLimit
}

export interface DeadLetters {
  /**
   * Throws `dead_letter_limit` when the chunk must not be stored or acknowledged. Changes nothing, so that a retry
   * gets the same verdict as the first try.
   */
  admit(tally: Tally): void
  /** Adds the acknowledged chunk's items to the window, once, however often the chunk was tried. */
  acknowledged(tally: Tally): void
  /** Returns the records to append, by topic, in the commit that acknowledges the chunk. */
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
  // A dead letter above the record limit would hold up its partition forever.
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
