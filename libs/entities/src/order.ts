// Events have a fixed order, which decides between two values of a field. This order does not depend on when the events arrive (contract
// §14.4).

export interface EventOrder {
  /** The client's time of the event in microseconds. If the event was read from a stored row, this is the version of the row. */
  readonly atUs: number
  /** At equal times, a creation comes before an update. */
  readonly update: boolean
  /** The event's id, which stays the same if a client sends the event again. A span has no event id, so its position on the log is used. */
  readonly id: string
  /** Distinguishes different events that have the same id. */
  readonly hash: string
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** Compares two events by `EventOrder`. Returns 0 only if both are the same event. */
export function compareOrder(a: EventOrder, b: EventOrder): number {
  if (a === b) return 0
  if (a.atUs !== b.atUs) return a.atUs - b.atUs
  if (a.update !== b.update) return a.update ? 1 : -1
  return compare(a.id, b.id) || compare(a.hash, b.hash)
}

export interface Said<T> {
  readonly value: T
  readonly by: EventOrder
}

/** `a` if both are equal. */
export const earlierOf = <S extends { readonly by: EventOrder }>(a: S, b: S): S => (compareOrder(b.by, a.by) < 0 ? b : a)

/** `a` if both are equal. */
export const laterOf = <S extends { readonly by: EventOrder }>(a: S, b: S): S => (compareOrder(b.by, a.by) > 0 ? b : a)
