// What becomes of the commits of a processor, as a random history says.
import type { Random } from './random.ts'

/** What becomes of a commit with records. `lost`: it is done, and its answer never comes. */
export type Fate = 'done' | 'refused' | 'lost'

export interface CommitFaults {
  /** Asked for every commit with records. */
  fate: (partition: number) => Fate
  /**
   * From the first commit that is not simply done: the process is as good as dead, nothing it asks for is
   * done any more.
   */
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
 * Dead at one of the next commits, before or after it was done; or at rest, when there is nothing to commit.
 */
export async function crash(world: { settled(): Promise<void> }, faults: CommitFaults, random: Random): Promise<void> {
  faults.deadly = true
  faults.fate = fateAfter(random.integer(0, 4), random, () => {})
  await world.settled()
}
