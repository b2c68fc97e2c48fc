// Joins many states into one. A join copies what it changes, so adding n states one by one to a large state would take time proportional to
// n². This module copies each state only a logarithmic number of times.
import { type EntityState, joinStates, nothingSaid } from './state.ts'

export interface Joining {
  add(state: EntityState): void
  /** True if the condition holds for at least one added state. */
  some(holds: (part: EntityState) => boolean): boolean
  /** Returns the join of all added states. */
  joined(): EntityState
}

export function createJoining(): Joining {
  // The array is a binary counter: position i contains the join of 2^i added states.
  const places: (EntityState | null)[] = []
  return {
    add(state) {
      let carried = state
      let at = 0
      for (let other = places[at]; other != null; other = places[++at]) {
        carried = joinStates(other, carried)
        places[at] = null
      }
      places[at] = carried
    },
    some: holds => places.some(part => part !== null && holds(part)),
    joined: () => places.reduce<EntityState>((joined, part) => (part === null ? joined : joinStates(part, joined)), nothingSaid),
  }
}

export function joinAll(states: Iterable<EntityState>): EntityState {
  const joining = createJoining()
  for (const state of states) joining.add(state)
  return joining.joined()
}
