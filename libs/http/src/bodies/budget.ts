// Bounds what all requests in flight hold, in decoded bytes, in all and per project: a full gateway refuses
// instead of growing (F29, F40, F53). Only what has arrived counts, so announcing a body takes nothing from
// anybody. When it is full, somebody must still be able to finish: the oldest upload of a project takes the
// memory of younger ones, which are refused. Were everybody refused alike, all could stop halfway, for ever.
import { AppError } from '@svc-server/errors'

export interface BudgetLimits {
  readonly maxBytes: number
  readonly maxBytesPerProject: number
}

/**
 * A request's part. Growing may be refused; shrinking, letting nobody take it away any more, and releasing
 * never fail.
 */
export interface Lease {
  readonly bytes: number
  /**
   * Aborted, with the AppError to answer, when an older upload was given the memory. The lease then holds
   * nothing.
   */
  readonly evicted: AbortSignal
  /**
   * Throws `overloaded` (the project's share is used up) or `at_capacity` (the process's memory is); the
   * lease then keeps what it had.
   */
  resize(bytes: number): void
  /** The body is whole. What follows finishes by itself, so the lease is no longer taken away. */
  arrived(): void
  release(): void
}

export interface Budget {
  readonly usedBytes: number
  /** Holds nothing at first. */
  lease(project: string): Lease
}

interface Share {
  /** Leases that are not released; the share is forgotten with the last one. */
  leases: number
  bytes: number
  /** Bodies that are arriving and hold something, oldest first. */
  readonly uploads: Set<Holder>
}

interface Holder {
  readonly share: Share
  readonly eviction: AbortController
  /** Order of the first bytes; 0 until then: who only announces a body is nobody's elder. */
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

  /** Younger uploads of the project give way, never its oldest one. */
  const younger = ({ share }: Holder): readonly Holder[] => [...share.uploads].slice(1).toReversed()

  /**
   * Those of whoever holds most come first; then the oldest of other projects, as long as they are younger
   * than this one.
   */
  function youngerAnywhere(holder: Holder): readonly Holder[] {
    const byBytes = [...shares.values()].toSorted((a, b) => b.bytes - a.bytes)
    const first = byBytes.flatMap(({ uploads }) => [...uploads].slice(1).toReversed())
    const oldest = byBytes.flatMap(({ uploads }) => [...uploads].slice(0, 1)).filter(({ age }) => age > holder.age)
    return [...first, ...oldest.toSorted((a, b) => b.age - a.age)]
  }

  /**
   * Makes room by evicting whom `holder` may evict; throws the error, and evicts nobody, when that is not
   * enough.
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
