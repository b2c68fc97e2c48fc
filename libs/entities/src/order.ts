// The order of all events of an entity. The order of their events decides between two values of a field, in whatever order the events
// arrived (contract §14.4).

export interface EventOrder {
  /** The client's time of the event in microseconds. For a row that is read as an event, the version of the row. */
  readonly atUs: number
  /** If two events have the same time, a creation comes before an update. */
  readonly update: boolean
  /** Id of the event, which stays the same if a client sends the event again. For a span, the id is the span's provenance. */
  readonly id: string
  /** Hash of the event's body, because two different events can have the same id. */
  readonly hash: string
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** Returns a negative number if `a` comes before `b`, a positive number if `a` comes after `b`, and 0 only for the same event. */
export function compareOrder(a: EventOrder, b: EventOrder): number {
  if (a === b) return 0
  if (a.atUs !== b.atUs) return a.atUs - b.atUs
  if (a.update !== b.update) return a.update ? 1 : -1
  return compare(a.id, b.id) || compare(a.hash, b.hash)
}

/** A value, with the order of the event that set it. */
export interface Said<T> {
  readonly value: T
  readonly by: EventOrder
}

/** Returns the earlier of `a` and `b`, or `a` itself if both are equal. */
export const earlierOf = <S extends { readonly by: EventOrder }>(a: S, b: S): S => (compareOrder(b.by, a.by) < 0 ? b : a)

/** Returns the later of `a` and `b`, or `a` itself if both are equal. */
export const laterOf = <S extends { readonly by: EventOrder }>(a: S, b: S): S => (compareOrder(b.by, a.by) > 0 ? b : a)
