// Each project's share of the writers' time (F26). Spans beyond the share are sent to the topic `spans.overflow`, which writers read with a
// separate thread, in parallel to the direct topic. Spans on `spans.overflow` wait for each other, but spans within a share never wait
// behind them. No span is rejected because of a share.

export interface ShareLimits {
  /** Units of work per second that a project can spend on average. */
  readonly unitsPerSecond: number
  /** Units of work that a project can spend at the same moment. */
  readonly burst: number
}

/** Maximum number of remembered projects. A forgotten project starts with a full burst. */
const mostProjects = 10_000

interface Share {
  left: number
  at: number
}

export interface Shares {
  /** Deducts `load` units from the project's share. If the share is too small, returns false and deducts nothing. */
  take(project: string, load: number): boolean
}

/** @param clock Monotonic milliseconds. */
export function createShares({ unitsPerSecond, burst }: ShareLimits, clock: () => number): Shares {
  // The projects' shares, ordered by last use.
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
