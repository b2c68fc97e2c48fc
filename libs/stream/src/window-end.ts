// Computes the end of a staged record's window. Windows end at regular intervals of the append time. The windows of different partitions
// end at different times, so that not all partitions publish at once.

export interface WindowGrid {
  readonly windowMs: number
  readonly partition: number
  readonly partitions: number
}

export function windowEnd(timestampMs: number, { windowMs, partition, partitions }: WindowGrid): number {
  const phase = Math.floor((windowMs * partition) / partitions)
  return (Math.floor((timestampMs - phase) / windowMs) + 1) * windowMs + phase
}
