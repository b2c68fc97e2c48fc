// Counts values that a row could not store unchanged. The attribute of such a value stays in the metadata.

const lossReasons = [
  /** A list is rebuilt from several keys, and the index in one of these keys is beyond the maximum number of slots. */
  'rebuild_slots',
  /**
   * The rebuilt JSON has no place for the key. There are three possible reasons: a prefix of the key also has a value, the key has too many
   * segments, or the key contains a name such as `__proto__`.
   */
  'rebuild_key',
  /** A rule needed JSON from the attribute's value, but could not read the value. */
  'unreadable_json',
  /** The column cannot store the value. */
  'unfit_value',
  /** A cost of a million US dollars or more is stored as 999999.999999. */
  'cost_clamped',
  /** The version of an experiment item must be a time, but the attribute's value is not a valid time. */
  'experiment_version',
  /** The metadata in an attribute is invalid JSON or not an object. The metadata is stored as one value with the attribute's name. */
  'metadata_unreadable',
  'metadata_no_object',
  /** Only the length of an embedding's vector and the beginning of an embedding's text are stored. */
  'embedding_vector',
  'embedding_text',
  'unreadable_event',
] as const
export type LossReason = (typeof lossReasons)[number]
export type Losses = Readonly<Record<LossReason, number>>

export class LossCounter {
  counts: Record<LossReason, number> = noLosses()

  add(reason: LossReason): void {
    this.counts[reason]++
  }

  /** Returns and resets the counts. */
  take(): Losses {
    const { counts } = this
    this.counts = noLosses()
    return counts
  }
}

const noLosses = (): Record<LossReason, number> => Object.fromEntries(lossReasons.map(reason => [reason, 0])) as Record<LossReason, number>
