// Limits each project to a share of the writers' time (F26). Spans beyond the share go to the topic `spans.overflow`. Writers read the
// topic in a separate thread, in parallel to the direct topic. Spans on `spans.overflow` wait for each other, but spans within a share
// never wait for them. A share never causes the rejection of a span.

export interface ShareLimits {
  /** Units of work per second that a project can use on average. */
  readonly unitsPerSecond: number
  /** Units of work that a project can use at once. */
  readonly burst: number
}

/** Maximum number of projects with remembered shares. A forgotten project starts with a full burst. */
const mostProjects = 10_000

interface Share {
  left: number
  at: number
}

export interface Shares {
  /** Takes `load` units from the project's share. If fewer units are left, takes nothing and returns false. */
  take(project: string, load: number): boolean
}

/** @param clock Monotonic milliseconds. */
export function createShares({ unitsPerSecond, burst }: ShareLimits, clock: () => number): Shares {
  // The shares of projects, ordered by last use.
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
