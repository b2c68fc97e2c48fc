// Computes the end of the window of a staged record. Windows end at regular intervals of the append time. The ends are shifted for each
// partition, so that not all partitions publish at the same time.

export interface WindowGrid {
  readonly windowMs: number
  readonly partition: number
  readonly partitions: number
}

/** Returns the first end of a window that is after an append time. */
export function windowEnd(timestampMs: number, { windowMs, partition, partitions }: WindowGrid): number {
  const phase = Math.floor((windowMs * partition) / partitions)
  return (Math.floor((timestampMs - phase) / windowMs) + 1) * windowMs + phase
}
