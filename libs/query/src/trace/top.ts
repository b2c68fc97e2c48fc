// Chooses which rows of a very large trace one response contains: whole groups of siblings from the top, and children of opened rows. If a
// row is not sent, it is added to the sums of its nearest sent ancestor.

/** The rows in the order of their start times. */
interface Rows {
  /** The row number of each row's parent; negative if no row is its parent. */
  readonly parents: readonly number[]
  /** For rows that are not sent, the response has only totals. `topOf` computes them from the costs, tokens and errors of such rows. */
  readonly costs: readonly (number | null)[]
  readonly tokens: readonly number[]
  readonly isError: readonly boolean[]
}

/** Totals of the rows that are not sent, grouped by their nearest sent ancestor. Each list has one entry for each of these ancestors. */
export interface Hidden {
  /** Positions among the sent rows. */
  readonly rows: readonly number[]
  readonly observations: readonly number[]
  readonly costs: readonly number[]
  readonly tokens: readonly number[]
  readonly errors: readonly number[]
}

export interface Top {
  /** Row numbers, ascending. */
  readonly rows: readonly number[]
  readonly hidden: Hidden
}

/** Chooses at most `most` rows, beginning with the rows in `open`, their ancestors, and their children. */
export function topOf({ parents, ...values }: Rows, open: readonly number[], most: number): Top {
  const chosen = choose(parents, open, most)
  const rows: number[] = []
  const places = new Int32Array(parents.length).fill(-1)
  for (let row = 0; row < parents.length; row++) {
    if (chosen[row] === 1) places[row] = rows.push(row) - 1
  }
  return { rows, hidden: sumsBelow(parents, values, places, rows.length) }
}

function choose(parents: readonly number[], open: readonly number[], most: number): Uint8Array {
  const count = parents.length
  const chosen = new Uint8Array(count)
  let left = most
  function take(row: number): void {
    if (left === 0 || chosen[row] === 1) return
    chosen[row] = 1
    left--
  }
  const { begins, children } = familiesOf(parents)
  const takeFamily = (slot: number) => {
    for (let at = begins[slot]!; at < begins[slot + 1]!; at++) take(children[at]!)
  }
  // The inner loop goes from a row to its ancestors and chooses each row on the way. It ends at a row that is already chosen, so it also
  // ends if the parents form a cycle.
  for (const row of open) for (let at = row; at >= 0 && chosen[at] === 0 && left > 0; at = parents[at]!) take(at)
  for (const row of open) takeFamily(row)
  takeFamily(count)
  const tooLarge: number[] = []
  const queue = Array.from(children.subarray(begins[count]!, begins[count + 1]!)).filter(row => chosen[row] === 1)
  for (let at = 0; at < queue.length && left > 0; at++) {
    const slot = queue[at]!
    const size = begins[slot + 1]! - begins[slot]!
    if (size > left) tooLarge.push(slot)
    else takeFamily(slot)
    for (let child = begins[slot]!; child < begins[slot + 1]!; child++) if (chosen[children[child]!] === 1) queue.push(children[child]!)
  }
  // Some groups of siblings were too large to be chosen as a whole. While less than half of `most` is used up, the first rows of these
  // groups are chosen, too.
  for (const slot of tooLarge) if (left > most / 2) takeFamily(slot)
  return chosen
}

/** Groups the rows by their parent, in row order. The last group has the rows without a parent. */
function familiesOf(parents: readonly number[]) {
  const count = parents.length
  const slotOf = (row: number) => (parents[row]! < 0 ? count : parents[row]!)
  const begins = new Int32Array(count + 2)
  for (let row = 0; row < count; row++) begins[slotOf(row) + 1]!++
  for (let slot = 0; slot <= count; slot++) begins[slot + 1]! += begins[slot]!
  const next = begins.slice()
  const children = new Int32Array(count)
  for (let row = 0; row < count; row++) children[next[slotOf(row)]!++] = row
  return { begins, children }
}

function sumsBelow(
  parents: readonly number[],
  { costs, tokens, isError }: Omit<Rows, 'parents'>,
  places: Int32Array,
  sent: number,
): Hidden {
  const sums = {
    observations: new Int32Array(sent),
    costs: new Float64Array(sent),
    tokens: new Float64Array(sent),
    errors: new Int32Array(sent),
  }
  // For each row, the place of its nearest ancestor among the sent rows. The place is -2 while it is unknown, and -1 if the row has no
  // ancestor among the sent rows.
  const owners = Int32Array.from(places, place => (place >= 0 ? place : -2))
  for (let row = 0; row < parents.length; row++) {
    if (places[row]! >= 0) continue
    const path: number[] = []
    let at = row
    for (; at >= 0 && owners[at] === -2; at = parents[at]!) {
      // Marks the row as visited, so that the loop also ends if the parents of rows form a cycle.
      owners[at] = -1
      path.push(at)
    }
    const owner = at >= 0 ? owners[at]! : -1
    for (const each of path) owners[each] = owner
    if (owner < 0) continue
    sums.observations[owner]!++
    sums.costs[owner]! += costs[row] ?? 0
    sums.tokens[owner]! += tokens[row]!
    sums.errors[owner]! += isError[row] ? 1 : 0
  }
  const rows = Array.from(sums.observations.keys()).filter(place => sums.observations[place]! > 0)
  const of = (list: Int32Array | Float64Array) => rows.map(place => list[place]!)
  return { rows, observations: of(sums.observations), costs: of(sums.costs), tokens: of(sums.tokens), errors: of(sums.errors) }
}
