// Limits the decoded bytes of all requests in flight, in total and per project. A gateway that is full rejects requests and does not grow
// (F29, F40, F53). Only bytes that were received are counted, so that announcing a large body takes no memory from other requests. If the
// budget is full, at least one request must still be able to finish. Therefore the oldest upload of a project takes the memory of younger
// ones, which are rejected. Without this order, all uploads could wait for memory forever.
import { AppError } from '@svc-server/errors'

export interface BudgetLimits {
  readonly maxBytes: number
  readonly maxBytesPerProject: number
}

/**
 * The part of the budget that one request has reserved. Growing can be rejected; shrinking, protecting from eviction, and releasing never
 * fail.
 */
export interface Lease {
  readonly bytes: number
  /**
   * Aborts when an older upload takes the memory of this one. The reason is an AppError, which the response contains. After it was
   * released, a lease has no bytes reserved.
   */
  readonly evicted: AbortSignal
  /**
   * Throws `overloaded` if the project's share is used up, and `at_capacity` if the memory of the process is used up. After an error, the
   * lease has the same bytes reserved as before.
   */
  resize(bytes: number): void
  /** Marks the body as completely received. From then on, the lease cannot be evicted. */
  arrived(): void
  release(): void
}

export interface Budget {
  readonly usedBytes: number
  /** Returns a new lease that has no bytes reserved. */
  lease(project: string): Lease
}

interface Share {
  /** Number of leases that were not released yet. With the last release, the share is deleted. */
  leases: number
  bytes: number
  /** Bodies that are still arriving and have bytes reserved, oldest first. */
  readonly uploads: Set<Holder>
}

interface Holder {
  readonly share: Share
  readonly eviction: AbortController
  /**
   * The request's position in the order in which requests received their first bytes. The position is 0 until the request has received its
   * first bytes. A request that only announces a body therefore gets no early position.
   */
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

  /** The younger uploads of the project can be evicted, but never its oldest one. */
  const younger = ({ share }: Holder): readonly Holder[] => [...share.uploads].slice(1).toReversed()

  /**
   * Uploads that are younger than this one are candidates for eviction: first those of the project that has most bytes reserved, then the
   * oldest ones of other projects.
   */
  function youngerAnywhere(holder: Holder): readonly Holder[] {
    const byBytes = [...shares.values()].toSorted((a, b) => b.bytes - a.bytes)
    const first = byBytes.flatMap(({ uploads }) => [...uploads].slice(1).toReversed())
    const oldest = byBytes.flatMap(({ uploads }) => [...uploads].slice(0, 1)).filter(({ age }) => age > holder.age)
    return [...first, ...oldest.toSorted((a, b) => b.age - a.age)]
  }

  /** Evicts candidates until `missing` bytes are free. If evicting all of them would not be enough, throws the error and evicts none. */
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
      return new AppError('overloaded', `Requests of this project already use ${share.bytes} of ${maxBytesPerProject} bytes in flight.`)
    })
    makeRoom(usedBytes + bytes - maxBytes, holder, youngerAnywhere, () => {
      return new AppError('at_capacity', `Requests in flight already use ${usedBytes} of ${maxBytes} bytes.`)
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
