import type { Random } from './random.ts'

/** `lost` means that the commit succeeds, but its response does not arrive. */
export type Fate = 'done' | 'refused' | 'lost'

export interface CommitFaults {
  fate: (partition: number) => Fate
  /** If true, the process counts as dead after its first refused or lost commit. All later requests of the process fail. */
  deadly: boolean
}

export function fateAfter(commits: number, random: Random, onEnd: () => void): () => Fate {
  const fate = random.pick(['refused', 'lost'] as const)
  let left = commits
  return () => {
    if (left-- > 0) return 'done'
    onEnd()
    return fate
  }
}

/**
 * Kills the process at one of its next commits, before or after this commit takes effect. If the process becomes idle before that
 * commit, `crash` returns, and the caller must stop the process.
 */
export async function crash(world: { settled(): Promise<void> }, faults: CommitFaults, random: Random): Promise<void> {
  faults.deadly = true
  faults.fate = fateAfter(random.integer(0, 4), random, () => {})
  await world.settled()
}
