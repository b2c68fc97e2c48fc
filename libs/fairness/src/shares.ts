// Each project's share of the writers' time (F26). Spans beyond the share go to `spans.overflow`, which writers read with a separate thread
// beside the direct topic. These spans wait for each other, and spans of other projects never wait behind them. No span is rejected because
// of its share.

export interface ShareLimits {
  /** Units of work per second that a project may spend on average. */
  readonly unitsPerSecond: number
  /** Units of work that a project may spend at once. */
  readonly burst: number
}

/** Maximum remembered projects; a forgotten project starts with a full burst. */
const mostProjects = 10_000

interface Share {
  left: number
  at: number
}

export interface Shares {
  /** Deducts `load` units from the project's share; returns false and deducts nothing when the share is too small. */
  take(project: string, load: number): boolean
}

/** @param clock Monotonic milliseconds. */
export function createShares({ unitsPerSecond, burst }: ShareLimits, clock: () => number): Shares {
  // Ordered by last use.
  const shares = new Map<string, Share>()

  const leftAt = ({ left, at }: Share, now: number) => Math.min(burst, left + ((now - at) * unitsPerSecond) / 1000)

  function forget(now: number): void {
    for (const [project, share] of shares) {
      if (shares.size <= mostProjects && leftAt(share, now) < burst) return
      shares.delete(project)
    }
  }

  return {
    take(project, load) {
      const now = clock()
      const known = shares.get(project)
      const left = known === undefined ? burst : leftAt(known, now)
      if (load > left) return false
      shares.delete(project)
      shares.set(project, { left: left - load, at: now })
      if (known === undefined) forget(now)
      return true
    },
  }
}
