// Computes the tree of rows.
import type { Children } from './model.ts'

/**
 * The orphanage is an additional row. The orphanage becomes the parent of all rows whose parent is missing. The orphanage also breaks
 * cycles of parents: one row of each cycle becomes a child of the orphanage.
 */
export function parentsOf(wire: readonly number[]): { readonly parents: Int32Array; readonly orphanage: number; readonly rows: number } {
  const count = wire.length
  const parents = new Int32Array(count + 1)
  let hasOrphans = false
  for (let row = 0; row < count; row++) {
    const parent = wire[row]!
    const isThere = parent >= -1 && parent < count
    parents[row] = isThere ? parent : count
    if (!isThere) hasOrphans = true
  }
  parents[count] = -1
  // Walks up from each row. If a walk returns to a row that the same walk has already visited, the walk has found a cycle.
  const seen = new Int32Array(count + 1)
  seen[count] = -1
  for (let row = 0; row < count; row++) {
    let at = row
    while (at !== -1 && seen[at] === 0) {
      seen[at] = row + 1
      const up = parents[at]!
      if (up !== -1 && seen[up] === row + 1) {
        parents[at] = count
        hasOrphans = true
        break
      }
      at = up
    }
  }
  return hasOrphans ? { parents, orphanage: count, rows: count + 1 } : { parents: parents.subarray(0, count), orphanage: -1, rows: count }
}

export function childrenOf(parents: Int32Array): Children {
  const rows = parents.length
  const begins = new Int32Array(rows + 2)
  const slot = (row: number) => (parents[row] === -1 ? rows : parents[row]!)
  for (let row = 0; row < rows; row++) begins[slot(row) + 1]!++
  for (let row = 0; row <= rows; row++) begins[row + 1]! += begins[row]!
  const next = begins.slice()
  const children = new Int32Array(rows)
  for (let row = 0; row < rows; row++) children[next[slot(row)]!++] = row
  return { begins, rows: children }
}

export interface Order {
  readonly preorder: Int32Array
  readonly places: Int32Array
  readonly depths: Int32Array
  readonly sizes: Int32Array
}

export function orderOf(parents: Int32Array, { begins, rows: children }: Children): Order {
  const rows = parents.length
  const [preorder, places, depths] = [new Int32Array(rows), new Int32Array(rows), new Int32Array(rows)]
  const sizes = new Int32Array(rows).fill(1)
  const stack: number[] = []
  const push = (slot: number) => {
    for (let at = begins[slot + 1]! - 1; at >= begins[slot]!; at--) stack.push(children[at]!)
  }
  push(rows)
  for (let place = 0; place < rows; place++) {
    const row = stack.pop()!
    preorder[place] = row
    places[row] = place
    const parent = parents[row]!
    depths[row] = parent === -1 ? 0 : depths[parent]! + 1
    push(row)
  }
  for (let place = rows - 1; place >= 0; place--) {
    const row = preorder[place]!
    if (parents[row] !== -1) sizes[parents[row]!]! += sizes[row]!
  }
  return { preorder, places, depths, sizes }
}
