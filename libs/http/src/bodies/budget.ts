// Limits the decoded bytes of all requests in flight, in total and per project. A full gateway rejects requests instead of growing (F29,
// F40, F53). Counts only received bytes, so that a client cannot use up the budget by announcing large bodies. If memory is short, a
// project's oldest upload takes the memory of the project's younger uploads. Without such evictions, uploads could fail for lack of memory
// again and again, and none would complete.
import { AppError } from '@svc-server/errors'

export interface BudgetLimits {
  readonly maxBytes: number
  readonly maxBytesPerProject: number
}

/** One request's share of the budget. */
export interface Lease {
  readonly bytes: number
  /**
   * Aborts when an older upload takes the memory of this lease. The reason is an AppError for the response. An evicted lease has no bytes
   * reserved.
   */
  readonly evicted: AbortSignal
  /**
   * Throws `overloaded` if the project has no memory left, and `at_capacity` if the process has none. After such an error, the lease keeps
   * the bytes that it had.
   */
  resize(bytes: number): void
  /** A lease whose body has arrived cannot be evicted. */
  arrived(): void
  release(): void
}

export interface Budget {
  readonly usedBytes: number
  lease(project: string): Lease
}

interface Share {
  /** Number of the project's leases that have not been released. When the last lease is released, the budget deletes the share. */
  leases: number
  bytes: number
  /** Requests whose bodies are still arriving, the oldest first. */
  readonly uploads: Set<Holder>
}

interface Holder {
  readonly share: Share
  readonly eviction: AbortController
  /**
   * The position of this request if all requests are ordered by the arrival of their first byte. The first request has the position 1. The
   * position is 0 until the first byte of this request has arrived.
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

  /** Returns all uploads of the holder's project except the oldest. The youngest comes first. */
  const younger = ({ share }: Holder): readonly Holder[] => [...share.uploads].slice(1).toReversed()

  /**
   * Returns the uploads that `holder` may evict, from all projects, in the order of eviction. The first part of the list has all uploads
   * except the oldest upload of each project. The uploads of the project with the most bytes come first. The second part has the oldest
   * upload of each project, if this upload is younger than `holder`.
   */
  function youngerAnywhere(holder: Holder): readonly Holder[] {
    const byBytes = [...shares.values()].toSorted((a, b) => b.bytes - a.bytes)
    const first = byBytes.flatMap(({ uploads }) => [...uploads].slice(1).toReversed())
    const oldest = byBytes.flatMap(({ uploads }) => [...uploads].slice(0, 1)).filter(({ age }) => age > holder.age)
    return [...first, ...oldest.toSorted((a, b) => b.age - a.age)]
  }

  /** Evicts candidates until `missing` bytes are free. If all candidates together have too few bytes, evicts none and throws the error. */
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
