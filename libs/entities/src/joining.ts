// Joins many states into one. A join copies the parts that it changes, so adding n states one by one to a large state would take time
// proportional to n². Here each state is copied only a logarithmic number of times.
import { type EntityState, joinStates, nothingSaid } from './state.ts'

export interface Joining {
  add(state: EntityState): void
  /** Whether the condition is true for at least one added state. */
  some(holds: (part: EntityState) => boolean): boolean
  /** The join of all states that were added. */
  joined(): EntityState
}

export function createJoining(): Joining {
  // The array works as a binary counter: the state at position i is the join of 2^i added states.
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
