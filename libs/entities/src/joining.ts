// Many states joined into one. A join copies what it changes, so adding one state after the other to a large
// one costs the square of their number; here each is copied as often as their number can be halved.
import { type EntityState, joinStates, nothingSaid } from './state.ts'

export interface Joining {
  add(state: EntityState): void
  /** Whether it holds of some part of what was added. */
  some(holds: (part: EntityState) => boolean): boolean
  /** Of all that was added. */
  joined(): EntityState
}

export function createJoining(): Joining {
  // A binary counter: what lies at a place stands for as many states as the place is worth.
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
