// The visible entries from top to bottom. An entry is the index of a row, or -1 minus the index of a group.
import type { TraceModel } from './model.ts'

export interface Folds {
  /** 1: unfolded. */
  readonly rows: Uint8Array
  readonly groups: Uint8Array
}

export interface Visible {
  readonly entries: Int32Array
  /** Values for assistive technology. Levels and positions begin at 1. */
  readonly depths: Int32Array
  readonly positions: Int32Array
  readonly counts: Int32Array
}

const groupEntry = (group: number): number => -1 - group
export const isGroup = (entry: number): boolean => entry < 0
export const groupOfEntry = (entry: number): number => -1 - entry

const mostUnfolded = 200
const mostErrors = 100

/**
 * Returns how many entries are directly below a row when all groups are folded. If `slot` is `model.rows` (the number of rows), the
 * function counts the roots.
 */
export function entriesBelow({ children: { begins, rows: children }, groups }: TraceModel, slot: number): number {
  let count = 0
  for (let at = begins[slot]!; at < begins[slot + 1]!; at++) {
    const group = groups.of[children[at]!]!
    if (group < 0 || groups.members[groups.begins[group]!] === children[at]) count++
  }
  return count
}

/**
 * Unfolds about 200 rows from the top, and the rows in `opened`. Also unfolds all ancestors of `row` and of the first 100 rows with an
 * error, so that `row` and these errors are visible.
 */
export function firstFolds(model: TraceModel, row: number, opened: readonly number[] = []): Folds {
  const { rows, children, levels, preorder } = model
  const folds = { rows: new Uint8Array(rows), groups: new Uint8Array(model.groups.p50Us.length) }
  let left = mostUnfolded - entriesBelow(model, rows)
  const queue = Array.from(children.rows.subarray(children.begins[rows]!, children.begins[rows + 1]!))
  for (let at = 0; at < queue.length && left > 0; at++) {
    const next = queue[at]!
    const below = entriesBelow(model, next)
    if (below === 0 || below > left) continue
    left -= below
    folds.rows[next] = 1
    for (let child = children.begins[next]!; child < children.begins[next + 1]!; child++) queue.push(children.rows[child]!)
  }
  let errors = 0
  for (let place = 0; place < rows && errors < mostErrors; place++) {
    if (levels[preorder[place]!] !== 3) continue
    errors++
    reveal(model, folds, preorder[place]!)
  }
  for (const each of opened) {
    reveal(model, folds, each)
    folds.rows[each] = 1
  }
  if (row >= 0) reveal(model, folds, row)
  return folds
}

export function reveal({ parents, groups }: TraceModel, folds: Folds, row: number): void {
  if (groups.of[row]! >= 0) folds.groups[groups.of[row]!] = 1
  for (let at = parents[row]!; at !== -1; at = parents[at]!) folds.rows[at] = 1
}

export function visibleOf(model: TraceModel, folds: Folds): Visible {
  const { rows, children, groups, depths: rowDepths } = model
  const [entries, depths, positions, counts]: [number[], number[], number[], number[]] = [[], [], [], []]
  const add = (entry: number, depth: number, position: number, count: number) => {
    entries.push(entry)
    depths.push(depth)
    positions.push(position)
    counts.push(count)
  }
  const stack: { readonly slot: number; at: number; position: number; readonly count: number }[] = []
  const enter = (slot: number) => stack.push({ slot, at: children.begins[slot]!, position: 0, count: entriesBelow(model, slot) })
  enter(rows)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.at === children.begins[top.slot + 1]) {
      stack.pop()
      continue
    }
    const row = children.rows[top.at++]!
    const group = groups.of[row]!
    if (group < 0) {
      add(row, rowDepths[row]! + 1, ++top.position, top.count)
      if (folds.rows[row] === 1) enter(row)
      continue
    }
    const members = groups.members.subarray(groups.begins[group]!, groups.begins[group + 1]!)
    if (members[0] !== row) continue
    add(groupEntry(group), rowDepths[row]! + 1, ++top.position, top.count)
    if (folds.groups[group] !== 1) continue
    for (let at = 0; at < members.length; at++) add(members[at]!, rowDepths[row]! + 2, at + 1, members.length)
  }
  return {
    entries: Int32Array.from(entries),
    depths: Int32Array.from(depths),
    positions: Int32Array.from(positions),
    counts: Int32Array.from(counts),
  }
}
