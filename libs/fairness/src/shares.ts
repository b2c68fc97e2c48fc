// What of the writers' time a project has in front of others (F26). Beyond it its spans go to `spans.overflow`, which writers read beside the direct
// topic and with a thread of its own: they wait there for each other, and nobody's span waits behind them. Nothing is refused for it.

export interface ShareLimits {
  /** Units of work that a project may spend, in the long run. */
  readonly unitsPerSecond: number
  /** And at once. */
  readonly burst: number
}

/** Projects that are remembered; who is forgotten has a whole burst again. */
const mostProjects = 10_000

interface Share {
  left: number
  at: number
}

export interface Shares {
  /** Takes `load` units off the project's share; false, and nothing is taken, when it has not so many. */
  take(project: string, load: number): boolean
}

/** @param clock Milliseconds, never going back. */
export function createShares({ unitsPerSecond, burst }: ShareLimits, clock: () => number): Shares {
  // In the order of their last taking.
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
