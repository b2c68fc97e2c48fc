// Computes the end of a staged record's window. Windows end at regular intervals of the append time. The ends are shifted for each
// partition, so that partitions do not publish at the same time.

export interface WindowGrid {
  readonly windowMs: number
  readonly partition: number
  readonly partitions: number
}

/** Returns the first window end after an append time. */
export function windowEnd(timestampMs: number, { windowMs, partition, partitions }: WindowGrid): number {
  const phase = Math.floor((windowMs * partition) / partitions)
  return (Math.floor((timestampMs - phase) / windowMs) + 1) * windowMs + phase
}
