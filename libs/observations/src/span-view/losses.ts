// What a row could not take as it came. Each of these is counted, and the attribute it came from stays in the
// metadata.

const lossReasons = [
  /** A key of a rebuilt list beyond the list's slots. */
  'rebuild_slots',
  /**
   * A key of a rebuilt list that is the prefix of another, that names an object's internals, or that is
   * nested too deep.
   */
  'rebuild_key',
  /** JSON that a rule had to read and could not. */
  'unreadable_json',
  /** A value that its column cannot hold. */
  'unfit_value',
  /** A cost of a million or more, stored as 999999.999999. */
  'cost_clamped',
  /** The version of an experiment's item that is no time. */
  'experiment_version',
  /**
   * Metadata that is no JSON where it has to be, or JSON that is no object. It stays under its attribute's
   * name.
   */
  'metadata_unreadable',
  'metadata_no_object',
  /** An embedding's vector, stored as its length, and its text, cut. */
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

  /** The counts so far, and a fresh start. */
  take(): Losses {
    const { counts } = this
    this.counts = noLosses()
    return counts
  }
}

const noLosses = (): Record<LossReason, number> => Object.fromEntries(lossReasons.map(reason => [reason, 0])) as Record<LossReason, number>
