// Bounds the decoded bytes of all requests in flight, in total and per project: a full gateway rejects requests instead of growing (F29,
// F40, F53). Only received bytes are counted, so that announcing a large body takes no memory from other requests. When the budget is full,
// some request must still be able to finish: the oldest upload of a project takes the memory of younger uploads, which are rejected. If all
// uploads were treated alike, all of them could stop halfway forever.
import { AppError } from '@svc-server/errors'

export interface BudgetLimits {
  readonly maxBytes: number
  readonly maxBytesPerProject: number
}

/**
 * The share of the budget that one request has reserved. Growing can be rejected, but shrinking, protecting from eviction, and releasing
 * never fail.
 */
export interface Lease {
  readonly bytes: number
  /**
   * Aborted when an older upload takes this upload's memory. The reason is the AppError for the response. After the release, the lease has
   * no bytes reserved.
   */
  readonly evicted: AbortSignal
  /**
   * Throws `overloaded` if the project's share is used up, or `at_capacity` if the process's memory is. After either error, the lease keeps
   * its reserved bytes.
   */
  resize(bytes: number): void
  /** Marks the body as complete. The body has arrived completely, so the lease can no longer be evicted. */
  arrived(): void
  release(): void
}

export interface Budget {
  readonly usedBytes: number
  /** A new lease that has no bytes reserved. */
  lease(project: string): Lease
}

interface Share {
  /** Number of unreleased leases; the last release deletes the share. */
  leases: number
  bytes: number
  /** Bodies that are still arriving and have bytes reserved in the budget, oldest first. */
  readonly uploads: Set<Holder>
}

interface Holder {
  readonly share: Share
  readonly eviction: AbortController
  /** Order of the first bytes; 0 until then, so that a request that only announces a body is never older than another. */
  age: number
  bytes: number
  arrived: boolean
}

export function createBudget({ maxBytes, maxBytesPerProject }: BudgetLimits): Budget {
  const shares = new Map<string, Share>()
  let usedBytes = 0
  let ages = 0

  function add(holder: Holder, bytes: number): void {
    holder.bytes += bytes
    holder.share.bytes += bytes
    usedBytes += bytes
  }

  function evict(holder: Holder, error: AppError): void {
    holder.share.uploads.delete(holder)
    add(holder, -holder.bytes)
    holder.eviction.abort(error)
  }

  /** Younger uploads of the project can be evicted, but never the project's oldest upload. */
  const younger = ({ share }: Holder): readonly Holder[] => [...share.uploads].slice(1).toReversed()

  /**
   * Candidates for eviction if they are younger than this upload: first the uploads of the project that has most bytes reserved, then the
   * oldest uploads of other projects.
   */
  function youngerAnywhere(holder: Holder): readonly Holder[] {
    const byBytes = [...shares.values()].toSorted((a, b) => b.bytes - a.bytes)
    const first = byBytes.flatMap(({ uploads }) => [...uploads].slice(1).toReversed())
    const oldest = byBytes.flatMap(({ uploads }) => [...uploads].slice(0, 1)).filter(({ age }) => age > holder.age)
    return [...first, ...oldest.toSorted((a, b) => b.age - a.age)]
  }

  /**
   * Evicts candidates until `missing` bytes are free. If evicting all candidates would not free enough, throws the error and evicts none.
   */
  function makeRoom(missing: number, holder: Holder, candidates: (holder: Holder) => readonly Holder[], error: () => AppError): void {
    if (missing <= 0) return
    const [oldest = holder] = holder.share.uploads
    if (!holder.arrived && oldest !== holder) throw error()
    const victims: Holder[] = []
    let freed = 0
    for (const candidate of candidates(holder)) {
      if (freed >= missing) break
      if (candidate === holder) continue
      victims.push(candidate)
      freed += candidate.bytes
    }
    if (freed < missing) throw error()
    for (const victim of victims) evict(victim, error())
  }

  function grow(holder: Holder, bytes: number): void {
    const { share } = holder
    if (holder.age === 0) holder.age = ++ages
    makeRoom(share.bytes + bytes - maxBytesPerProject, holder, younger, () => {
      return new AppError('overloaded', `Requests of this project already hold ${share.bytes} of ${maxBytesPerProject} bytes in flight.`)
    })
    makeRoom(usedBytes + bytes - maxBytes, holder, youngerAnywhere, () => {
      return new AppError('at_capacity', `Requests in flight already hold ${usedBytes} of ${maxBytes} bytes.`)
    })
    if (!holder.arrived) share.uploads.add(holder)
  }

  function shareOf(project: string): Share {
    const known = shares.get(project)
    if (known !== undefined) return known
    const made: Share = { leases: 0, bytes: 0, uploads: new Set() }
    shares.set(project, made)
    return made
  }

  return {
    get usedBytes() {
      return usedBytes
    },
    lease(project) {
      const holder: Holder = { share: shareOf(project), eviction: new AbortController(), age: 0, bytes: 0, arrived: false }
      const { share, eviction } = holder
      let released = false
      share.leases++
      return {
        evicted: eviction.signal,
        get bytes() {
          return holder.bytes
        },
        resize(bytes) {
          eviction.signal.throwIfAborted()
          if (bytes > holder.bytes) grow(holder, bytes - holder.bytes)
          add(holder, bytes - holder.bytes)
        },
        arrived() {
          holder.arrived = true
          share.uploads.delete(holder)
        },
        release() {
          if (released) return
          released = true
          share.uploads.delete(holder)
          add(holder, -holder.bytes)
          if (--share.leases === 0) shares.delete(project)
        },
      }
    },
  }
}
