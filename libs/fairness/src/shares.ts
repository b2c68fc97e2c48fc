// Limits each project to a share of the writers' time (F26). A project's spans beyond its share go to the topic `spans.overflow`. Spans on
// this topic can delay each other, but never delay spans that are within a share. No span is rejected because of a share.

export interface ShareLimits {
  /** Units that a project can use per second, on average. */
  readonly unitsPerSecond: number
  /** Units that a project can use at once. */
  readonly burst: number
}

/** Maximum number of projects whose use is remembered. A forgotten project starts with a full burst. */
const mostProjects = 10_000

interface Share {
  left: number
  at: number
}

export interface Shares {
  /** Takes `load` units. If fewer than `load` units are left, takes nothing and returns false. */
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
