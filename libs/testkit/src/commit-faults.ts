// Randomly chooses the outcomes of a processor's commits.
import type { Random } from './random.ts'

/** The outcome of a commit with records. `lost` means that the commit succeeds, but its response is lost. */
export type Fate = 'done' | 'refused' | 'lost'

export interface CommitFaults {
  /** Called for every commit with records. */
  fate: (partition: number) => Fate
  /** If true, the process counts as dead after its first failed or lost commit, and its later requests fail. */
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
 * Kills the process during one of the next commits, before or after the commit takes effect. If nothing is left to commit, the process dies
 * while it is idle.
 */
export async function crash(world: { settled(): Promise<void> }, faults: CommitFaults, random: Random): Promise<void> {
  faults.deadly = true
  faults.fate = fateAfter(random.integer(0, 4), random, () => {})
  await world.settled()
}
