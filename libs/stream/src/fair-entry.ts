// How much of one owner is at work at once while others come, too. Queues and turns keep a neighbour from standing behind a flood; they do not
// keep the flood from having every processor of a small machine at the moment when the neighbour comes (F26).

export interface FairEntryOptions {
  /** Of one owner at once while others come. */
  readonly mostOfOne: number
  /** An owner counts as one of the others for so long after it came. */
  readonly presenceMs: number
  readonly clock?: () => number
}

export interface FairEntry {
  /** Resolves, in the owner's order, when its work may begin; with what is to be called, once, when that is over. */
  enter(owner: string): Promise<() => void>
  readonly waiting: number
}

interface Place {
  inside: number
  readonly line: (() => void)[]
}
interface Arrival {
  readonly owner: string
  readonly at: number
}

export function createFairEntry({ mostOfOne, presenceMs, clock = () => performance.now() }: FairEntryOptions): FairEntry {
  const places = new Map<string, Place>()
  let waiting = 0
  // The last two different owners that came: at least one of them is another one than who asks.
  let last: Arrival | undefined
  let other: Arrival | undefined

  function note(owner: string): void {
    if (last !== undefined && last.owner !== owner) other = last
    last = { owner, at: clock() }
  }

  const mayBegin = (owner: string, { inside }: Place): boolean =>
    inside < mostOfOne || [last, other].every(one => one === undefined || one.owner === owner || clock() - one.at >= presenceMs)

  function leave(owner: string, place: Place): void {
    place.inside--
    while (place.line.length > 0 && mayBegin(owner, place)) {
      waiting--
      place.inside++
      place.line.shift()!()
    }
    if (place.inside === 0) places.delete(owner)
  }

  return {
    get waiting() {
      return waiting
    },
    async enter(owner) {
      note(owner)
      let place = places.get(owner)
      if (place === undefined) places.set(owner, (place = { inside: 0, line: [] }))
      const { line } = place
      if (line.length === 0 && mayBegin(owner, place)) place.inside++
      else {
        waiting++
        await new Promise<void>(resolve => line.push(resolve))
      }
      return () => leave(owner, place)
    },
  }
}
