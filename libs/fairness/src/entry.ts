// Limits one owner's concurrent work while other owners are active. An owner is active if one of its requests arrived recently, even if
// none is waiting now. Fair queues are not enough: while no other request is waiting, one owner's flood can occupy every core of a small
// machine (F26).

export interface FairEntryOptions {
  /** Maximum size of one owner's running work while other owners are active. */
  readonly mostOfOne: number
  /** An owner counts as active for this long after its last request arrived. */
  readonly presenceMs: number
  readonly clock?: () => number
}

export interface FairEntry {
  /**
   * Resolves when the work may begin. When the work has ended, the caller must call the returned function once. Calls of one owner resolve
   * in order. The work counts as `size` units. If `size` is more than `mostOfOne`, and other owners are active, the work begins only when
   * its own owner has no running work.
   */
  enter(owner: string, size?: number): Promise<() => void>
  readonly waiting: number
}

interface Place {
  inside: number
  readonly line: Waiting[]
}
interface Waiting {
  readonly size: number
  readonly begin: () => void
}
interface Arrival {
  readonly owner: string
  readonly at: number
}

export function createFairEntry({ mostOfOne, presenceMs, clock = () => performance.now() }: FairEntryOptions): FairEntry {
  const places = new Map<string, Place>()
  let waiting = 0
  // The latest arrivals of two different owners. For every owner, at least one of these arrivals therefore belongs to a different owner.
  let last: Arrival | undefined
  let other: Arrival | undefined

  function note(owner: string): void {
    if (last !== undefined && last.owner !== owner) other = last
    last = { owner, at: clock() }
  }

  const mayBegin = (owner: string, { inside }: Place, size: number): boolean =>
    inside === 0 ||
    inside + size <= mostOfOne ||
    [last, other].every(one => one === undefined || one.owner === owner || clock() - one.at >= presenceMs)

  function leave(owner: string, place: Place, left: number): void {
    place.inside -= left
    for (let next = place.line[0]; next !== undefined && mayBegin(owner, place, next.size); next = place.line[0]) {
      waiting--
      place.inside += next.size
      place.line.shift()
      next.begin()
    }
    if (place.inside === 0) places.delete(owner)
  }

  return {
    get waiting() {
      return waiting
    },
    async enter(owner, size = 1) {
      note(owner)
      let place = places.get(owner)
      if (place === undefined) places.set(owner, (place = { inside: 0, line: [] }))
      const { line } = place
      if (line.length === 0 && mayBegin(owner, place, size)) place.inside += size
      else {
        waiting++
        await new Promise<void>(begin => line.push({ size, begin }))
      }
      return () => leave(owner, place, size)
    },
  }
}
