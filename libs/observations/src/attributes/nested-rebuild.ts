// Lists and objects whose path stands in the attribute keys (`gen_ai.prompt.0.content`), written as JSON without building them first. Parts are
// sorted by path, so the order of attributes never shows; a part that cannot be placed is left in the metadata and counted.
import type { ByteWriter } from '@svc-server/column-store/native'
import type { SpanView } from '../span-view.ts'
import { deadKey } from './attribute-store.ts'
import { writeAscii, writeJson } from './json-text.ts'
import { keyFlag } from './key-table.ts'

/** Slots that all lists of one prefix may have together: a client that sends index 10^9 must not get a list of that length. */
const maxSlots = 10_001
const maxDepth = 40

export const rebuiltFlags = keyFlag.promptPart | keyFlag.completionPart | keyFlag.inputMessagePart | keyFlag.outputMessagePart

/** Names of an object's internals: harmless here, not in what reads the JSON. */
const internals: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const isIndex = (segment: string) => /^(?:0|[1-9]\d{0,15})$/.test(segment)

interface Part {
  readonly path: readonly string[]
  readonly entry: number
}

/** Numbers by value, before names in the order of their code units. */
function compareSegments(a: string, b: string): number {
  const bothIndexes = isIndex(a) && isIndex(b)
  if (bothIndexes) return Number(a) - Number(b)
  if (isIndex(a) !== isIndex(b)) return isIndex(a) ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function comparePaths({ path: a }: Part, { path: b }: Part): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    if (a[i] === b[i]) continue
    return compareSegments(a[i]!, b[i]!)
  }
  return a.length - b.length
}

/** Writes the JSON of all parts whose key has `flag`; `{}` when there is none. */
export function writeRebuilt(out: ByteWriter, span: SpanView, flag: number): void {
  const placed = placeableParts(span, flag)
  // What is a list is decided once, before parts are dropped: a name that is dropped later must not turn an object into a list of any length.
  const lists = listPaths(placed)
  const parts = withinSlots(span, placed, lists)
  if (parts.length === 0) writeAscii(out, '{}')
  else new Rebuild(out, span, lists).node(parts, 0, parts.length, 0)
}

function placeableParts(span: SpanView, flag: number): readonly Part[] {
  const { attributes } = span
  const { keys, table } = attributes
  const all: Part[] = []
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    const key = keys[entry]!
    if (key === deadKey || (table.flags(key) & flag) === 0) continue
    const path = table.nameOf(key).slice(table.prefixLength(key)).split('.')
    if (path.length > maxDepth || path.some(segment => internals.has(segment))) span.lose('rebuild_key', entry)
    else all.push({ path, entry })
  }
  all.sort(comparePaths)
  // A key that goes on where a shorter one has its value: `0.content` beside `0.content.text`.
  const placed: Part[] = []
  for (const part of all) {
    const last = placed.at(-1)
    if (last?.path.every((segment, i) => segment === part.path[i])) span.lose('rebuild_key', part.entry)
    else placed.push(part)
  }
  return placed
}

/** Drops the parts that would make the lists longer than all lists may be. Parts are sorted, so a list only ever grows. */
function withinSlots(span: SpanView, parts: readonly Part[], lists: ReadonlySet<string>): readonly Part[] {
  const lengths = new Map<string, number>()
  let slots = 0
  return parts.filter(({ path, entry }) => {
    const growth = new Map<string, number>()
    let wanted = 0
    let gaps = 0
    for (let depth = 0; depth < path.length; depth++) {
      const list = listKey(path, depth)
      if (!lists.has(list)) continue
      const length = Number(path[depth]) + 1
      const more = length - (lengths.get(list) ?? 0)
      if (more <= 0) continue
      wanted += more
      gaps += more - 1
      growth.set(list, length)
    }
    if (slots + wanted > maxSlots || gaps > span.gapSlots) {
      span.lose('rebuild_slots', entry)
      return false
    }
    slots += wanted
    span.gapSlots -= gaps
    for (const [list, length] of growth) lengths.set(list, length)
    return true
  })
}

const listKey = (path: readonly string[], depth: number) => `${depth} ${path.slice(0, depth).join('.')}`

/** Where all children are numbers there is a list; one name among them makes it an object. */
function listPaths(parts: readonly Part[]): ReadonlySet<string> {
  const lists = new Set<string>()
  const objects = new Set<string>()
  for (const { path } of parts) {
    for (let depth = 0; depth < path.length; depth++) (isIndex(path[depth]!) ? lists : objects).add(listKey(path, depth))
  }
  for (const path of objects) lists.delete(path)
  return lists
}

class Rebuild {
  readonly #out: ByteWriter
  readonly #span: SpanView
  readonly #lists: ReadonlySet<string>

  constructor(out: ByteWriter, span: SpanView, lists: ReadonlySet<string>) {
    this.#out = out
    this.#span = span
    this.#lists = lists
  }

  /** Parts [from, to) share their path up to `depth`. */
  node(parts: readonly Part[], from: number, to: number, depth: number): void {
    const out = this.#out
    if (parts[from]!.path.length === depth) {
      writeJson(out, this.#span.source, this.#span.attributes.value(parts[from]!.entry))
      return
    }
    const isList = this.#lists.has(listKey(parts[from]!.path, depth))
    out.byte(isList ? 0x5b : 0x7b)
    let length = 0
    for (let at = from; at < to; ) {
      const segment = parts[at]!.path[depth]!
      let end = at + 1
      while (end < to && parts[end]!.path[depth] === segment) end++
      if (at > from) out.byte(0x2c)
      if (isList) for (; length < Number(segment); length++) writeAscii(out, 'null,')
      else {
        const name = Buffer.from(`${JSON.stringify(segment)}:`)
        out.raw(name, 0, name.length)
      }
      this.node(parts, at, end, depth + 1)
      length++
      at = end
    }
    out.byte(isList ? 0x5d : 0x7d)
  }
}
