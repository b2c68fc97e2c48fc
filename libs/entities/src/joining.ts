// Joins many states into one. A join copies what it changes, so adding states one by one to a large one costs the
// square of their number. Here each state is copied only a logarithmic number of times.
import { type EntityState, joinStates, nothingSaid } from './state.ts'

export interface Joining {
  add(state: EntityState): void
  /** Whether the condition is true for some added part. */
  some(holds: (part: EntityState) => boolean): boolean
  /** The join of everything that was added. */
  joined(): EntityState
}

export function createJoining(): Joining {
  // A binary counter: the state at position i joins 2^i added states.
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
