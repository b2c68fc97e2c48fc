// Computes when the window of a staged record ends. Boundaries lie on a grid of append time. Each partition's grid is
// shifted, so that partitions do not all publish at once.

export interface WindowGrid {
  readonly windowMs: number
  readonly partition: number
  readonly partitions: number
}

/** Returns the first boundary after an append time. */
export function windowEnd(timestampMs: number, { windowMs, partition, partitions }: WindowGrid): number {
  const phase = Math.floor((windowMs * partition) / partitions)
  return (Math.floor((timestampMs - phase) / windowMs) + 1) * windowMs + phase
}
