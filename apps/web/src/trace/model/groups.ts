// Groups five or more leaves that have the same parent, type and name, and no error.
import { type Children, errorLevel, type Groups } from './model.ts'

const fewestOfAGroup = 5

interface Grouped {
  readonly names: Int32Array
  readonly types: Int32Array
  readonly levels: Uint8Array
  readonly startsUs: Float64Array
  readonly endsUs: Float64Array
  readonly children: Children
  readonly hidden: Int32Array
}

export function groupsOf({ names, types, levels, startsUs, endsUs, children: { begins, rows: children }, hidden }: Grouped): Groups {
  const rows = names.length
  const of = new Int32Array(rows).fill(-1)
  const all: number[][] = []
  for (let slot = 0; slot <= rows; slot++) {
    const [first, last] = [begins[slot]!, begins[slot + 1]!]
    if (last - first < fewestOfAGroup) continue
    const alike = new Map<number, number[]>()
    for (let at = first; at < last; at++) {
      const row = children[at]!
      if (begins[row] !== begins[row + 1] || levels[row] === errorLevel || hidden[row]! > 0) continue
      // The key combines the index of the row's name and the index of its type. A tree has at most 100,000 rows, so both indexes are below
      // 2^26.
      const key = names[row]! * 2 ** 26 + types[row]!
      const known = alike.get(key)
      if (known === undefined) alike.set(key, [row])
      else known.push(row)
    }
    for (const members of alike.values()) {
      if (members.length < fewestOfAGroup) continue
      for (const row of members) of[row] = all.length
      all.push(members)
    }
  }
  const groupBegins = new Int32Array(all.length + 1)
  const members = new Int32Array(all.reduce((sum, { length }) => sum + length, 0))
  const p50Us = new Float64Array(all.length)
  all.forEach((group, index) => {
    members.set(group, groupBegins[index]!)
    groupBegins[index + 1] = groupBegins[index]! + group.length
    const durations = Float64Array.from(group, row => endsUs[row]! - startsUs[row]!).sort()
    p50Us[index] = durations[Math.floor((durations.length - 1) / 2)]!
  })
  return { of, begins: groupBegins, members, p50Us }
}
