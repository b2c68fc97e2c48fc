// The only error that reading a record throws; readers dead-letter the record. It is not an AppError, because this package does not import
// the error catalog.

/**
 * not_a_record: too short, or without the single-object marker. unknown_fingerprint: a version that this build does not know. malformed:
 * bytes that do not match their known schema.
 */
export type UndecodableReason = 'not_a_record' | 'unknown_fingerprint' | 'malformed'

export class UndecodableRecord extends Error {
  override readonly name = 'UndecodableRecord'
  readonly reason: UndecodableReason

  constructor(reason: UndecodableReason, message: string) {
    super(message)
    this.reason = reason
  }
}
