// Data that a row could not store unchanged. Each loss is counted, and the lost value's attribute stays in the metadata.

const lossReasons = [
  /** A key of a rebuilt list, with an index beyond the maximum number of slots. */
  'rebuild_slots',
  /**
   * A key of a rebuilt list whose value has no place: a prefix of the key also has a value, or the key contains a name like `__proto__` or
   * is nested too deeply.
   */
  'rebuild_key',
  /** JSON that a rule needed but could not parse. */
  'unreadable_json',
  /** A value that its column cannot store. */
  'unfit_value',
  /** A cost of a million or more, stored as 999999.999999. */
  'cost_clamped',
  /** An experiment item version that is not a time. */
  'experiment_version',
  /**
   * Metadata that should be a JSON object but are invalid JSON or a value of another type. Invalid metadata are stored under the
   * attribute's name.
   */
  'metadata_unreadable',
  'metadata_no_object',
  /** An embedding whose vector is stored only as its length, or whose text is truncated. */
  'embedding_vector',
  'embedding_text',
  /** A span event that cannot be read. */
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
