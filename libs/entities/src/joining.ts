// Joins many states into one. Adding n states one by one would copy the growing state n times. This module copies each state only a
// logarithmic number of times.
import { type EntityState, joinStates, nothingSaid } from './state.ts'

export interface Joining {
  add(state: EntityState): void
  some(holds: (part: EntityState) => boolean): boolean
  joined(): EntityState
}

export function createJoining(): Joining {
  // Joined states, arranged like the digits of a binary number: position i is null, or contains the join of 2^i states.
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
