// Computes when the window of a staged record ends. Windows end at regular append times. The end times are shifted for each partition, so
// that the partitions do not all publish at the same time.

export interface WindowGrid {
  readonly windowMs: number
  readonly partition: number
  readonly partitions: number
}

/** Returns the first end of a window after an append time. */
export function windowEnd(timestampMs: number, { windowMs, partition, partitions }: WindowGrid): number {
  const phase = Math.floor((windowMs * partition) / partitions)
  return (Math.floor((timestampMs - phase) / windowMs) + 1) * windowMs + phase
}
