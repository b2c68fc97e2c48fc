// The one order of all that is said about an entity. It decides between two values of a field, whichever of
// them arrives first (contract §14.4).

export interface EventOrder {
  /** The client's time of the event, in microseconds; the version of a row that is read as an event. */
  readonly atUs: number
  /** At the same time a creation comes before an update. */
  readonly update: boolean
  /** Of the event: a client that repeats an event repeats it. A span's provenance. */
  readonly id: string
  /** Of the event's body: two events may have one id. */
  readonly hash: string
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** Negative: `a` comes before `b`. 0 only for the same event. */
export function compareOrder(a: EventOrder, b: EventOrder): number {
  if (a === b) return 0
  if (a.atUs !== b.atUs) return a.atUs - b.atUs
  if (a.update !== b.update) return a.update ? 1 : -1
  return compare(a.id, b.id) || compare(a.hash, b.hash)
}

/** A value, and the event that said it. */
export interface Said<T> {
  readonly value: T
  readonly by: EventOrder
}

/** Answers `a` itself where `b` does not come before it. */
export const earlierOf = <S extends { readonly by: EventOrder }>(a: S, b: S): S => (compareOrder(b.by, a.by) < 0 ? b : a)

/** Answers `a` itself where `b` does not come after it. */
export const laterOf = <S extends { readonly by: EventOrder }>(a: S, b: S): S => (compareOrder(b.by, a.by) > 0 ? b : a)
