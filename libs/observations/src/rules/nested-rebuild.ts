// Writes JSON from attributes with a path in their keys (`gen_ai.prompt.0.content`), without building objects. Each of these
// attributes is a part of the JSON. Parts are sorted by path, so the attribute order has no effect. If the JSON has no place for an
// attribute, the attribute stays in the metadata and counts as a loss.
import type { ByteWriter } from '@svc-server/column-store/native'
import { writeAscii, writeJson } from '../span-view/json-text.ts'
import type { KeyPath } from '../span-view/key-path.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'

/** Maximum slots in all lists below one prefix. Without this limit, an index such as 10^9 would create a list of that length. */
const maxSlots = 10_001

export const rebuiltFlags = keyFlag.promptPart | keyFlag.completionPart | keyFlag.inputMessagePart | keyFlag.outputMessagePart

/** Names that need no escapes in JSON. */
const plainName = /^[ !#-[\]-~]*$/

function writeName(out: ByteWriter, name: string): void {
  if (plainName.test(name)) {
    out.byte(0x22)
    out.chars(name)
    out.byte(0x22)
  } else {
    const quoted = Buffer.from(JSON.stringify(name))
    out.raw(quoted, 0, quoted.length)
  }
  out.byte(0x3a)
}

interface Level {
  /** True if all children's keys are numbers. */
  isList: boolean
  /** List slots used so far. */
  slots: number
}

interface Part extends KeyPath {
  readonly entry: number
  /**
   * For each segment of the path, the list or object in which the segment is an index or a name. Attributes whose paths begin with the
   * same segments share these lists and objects.
   */
  readonly levels: Level[]
}

/** Compares paths by their segments. Numbers come first, sorted by value. Names follow, sorted by code units. */
function comparePaths(a: Part, b: Part): number {
  const shared = Math.min(a.path.length, b.path.length)
  for (let i = 0; i < shared; i++) {
    const segment = a.path[i]!
    const other = b.path[i]!
    if (segment === other) continue
    const index = a.indexes[i]!
    const otherIndex = b.indexes[i]!
    if (index >= 0 && otherIndex >= 0) return index - otherIndex
    if (index >= 0 !== otherIndex >= 0) return index >= 0 ? -1 : 1
    return segment < other ? -1 : 1
  }
  return a.path.length - b.path.length
}

/**
 * Rebuilds a value from the attributes whose key has `flag`, and writes the value. Each of these attributes is a part of the value. A part
 * is dropped if the value has no place for the part, or if the part would need too many list slots. Returns false if a part was dropped.
 * Writes `{}` if no part is left.
 */
export function writeRebuilt(out: ByteWriter, span: SpanView, flag: number): boolean {
  const { placed, isWhole } = placeableParts(span, flag)
  // Lists must be found before parts are dropped. Otherwise, an object could lose its only key that is not a number. Its other keys, which
  // are all numbers, would then be taken as the indexes of a list, which can be very long.
  findLevels(placed)
  const parts = withinSlots(span, placed)
  if (parts.length === 0) writeAscii(out, '{}')
  else new Rebuild(out, span).node(parts, 0, parts.length, 0)
  return isWhole && parts.length === placed.length
}

function placeableParts(span: SpanView, flag: number): { readonly placed: readonly Part[]; readonly isWhole: boolean } {
  const { attributes } = span
  const { keys, flags, table } = attributes
  const all: Part[] = []
  let isWhole = true
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((flags[entry]! & flag) === 0) continue
    const { path, indexes } = table.pathOf(keys[entry]!)
    if (path.length === 0) {
      span.lose('rebuild_key', entry)
      isWhole = false
    } else all.push({ path, indexes, entry, levels: [] })
  }
  all.sort(comparePaths)
  // If `0.content` has a value, `0.content.text` is dropped.
  const placed: Part[] = []
  for (const part of all) {
    const last = placed.at(-1)
    if (last !== undefined && isBeginning(last.path, part.path)) span.lose('rebuild_key', part.entry)
    else placed.push(part)
  }
  return { placed, isWhole: isWhole && placed.length === all.length }
}

function isBeginning(short: readonly string[], long: readonly string[]): boolean {
  // Most paths differ near the end, so the comparison begins there.
  for (let i = short.length - 1; i >= 0; i--) if (short[i] !== long[i]) return false
  return true
}

/**
 * A rebuilt list has a slot for every index up to the list's largest index, even for an index that no part has. Drops each part that would
 * need too many slots. The parts are sorted by index, so the function can count the slots that each part adds.
 */
function withinSlots(span: SpanView, parts: readonly Part[]): readonly Part[] {
  let slots = 0
  return parts.filter(({ indexes, entry, levels }) => {
    let wanted = 0
    let gaps = 0
    for (let depth = 0; depth < levels.length; depth++) {
      const level = levels[depth]!
      if (!level.isList) continue
      const more = indexes[depth]! + 1 - level.slots
      if (more <= 0) continue
      wanted += more
      gaps += more - 1
    }
    if (slots + wanted > maxSlots || gaps > span.gapSlots) {
      span.lose('rebuild_slots', entry)
      return false
    }
    slots += wanted
    span.gapSlots -= gaps
    for (let depth = 0; depth < levels.length; depth++) {
      const level = levels[depth]!
      if (level.isList) level.slots = Math.max(level.slots, indexes[depth]! + 1)
    }
    return true
  })
}

/**
 * Fills `levels`. `parts` is sorted, so parts with a common prefix are adjacent. A part reuses the previous part's levels for the prefix
 * that both parts share.
 */
function findLevels(parts: readonly Part[]): void {
  let before: Part | undefined
  for (const part of parts) {
    const { path, indexes, levels } = part
    let common = before !== undefined
    for (let depth = 0; depth < path.length; depth++) {
      const known = common ? before!.levels[depth] : undefined
      const level = known ?? { isList: true, slots: 0 }
      if (indexes[depth]! < 0) level.isList = false
      levels.push(level)
      common &&= path[depth] === before!.path[depth]
    }
    before = part
  }
}

const manyNulls = Buffer.from('null,'.repeat(1024))

function writeNulls(out: ByteWriter, count: number): void {
  for (let left = count * 5; left > 0; left -= manyNulls.length) out.raw(manyNulls, 0, Math.min(left, manyNulls.length))
}

class Rebuild {
  readonly #out: ByteWriter
  readonly #span: SpanView

  constructor(out: ByteWriter, span: SpanView) {
    this.#out = out
    this.#span = span
  }

  /** All parts in [from, to) share the path up to `depth`. */
  node(parts: readonly Part[], from: number, to: number, depth: number): void {
    const out = this.#out
    if (parts[from]!.path.length === depth) {
      writeJson(out, this.#span.source, this.#span.attributes.value(parts[from]!.entry))
      return
    }
    const { isList } = parts[from]!.levels[depth]!
    out.byte(isList ? 0x5b : 0x7b)
    let length = 0
    for (let at = from; at < to; ) {
      const segment = parts[at]!.path[depth]!
      let end = at + 1
      while (end < to && parts[end]!.path[depth] === segment) end++
      if (at > from) out.byte(0x2c)
      if (isList) {
        const index = parts[at]!.indexes[depth]!
        writeNulls(out, index - length)
        length = Math.max(length, index)
      } else writeName(out, segment)
      this.node(parts, at, end, depth + 1)
      length++
      at = end
    }
    out.byte(isList ? 0x5d : 0x7d)
  }
}
