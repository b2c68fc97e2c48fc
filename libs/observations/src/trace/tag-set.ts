// The tags of one record's spans. Bounded, whatever is sent: the smallest so many of the union, which no
// order changes.
import type { ByteSource } from '@svc-server/column-store/native'
import type { TagSink } from '../columns/tags.ts'
import { wireText } from '../span-view/json-text.ts'
import { maxTraceTags } from './join.ts'
import { compareText } from './text-order.ts'

/** Characters of a tag. A longer one stays on its own span. */
export const maxTagLength = 200

// No character of UTF-8 takes more bytes per UTF-16 unit.
const maxTagBytes = 3 * maxTagLength
/** Distinct tags held before all but the smallest are dropped. */
const pruneAbove = 8 * maxTraceTags

const noTags: readonly string[] = Object.freeze([])

export class TagSet implements TagSink {
  /** Tags left out: too long, or too many. */
  cut = 0
  #tags: Set<string> | undefined

  string(value: string): void {
    if (value.length > maxTagLength) {
      this.cut++
      return
    }
    // A tag without text says nothing about a trace.
    if (value === '') return
    this.#tags ??= new Set()
    this.#tags.add(value.toWellFormed())
    if (this.#tags.size > pruneAbove) this.#tags = new Set(this.#smallest(this.#tags))
  }

  text(source: ByteSource, start: number, end: number): void {
    if (end - start > maxTagBytes) this.cut++
    else this.string(wireText(source, start, end))
  }

  #smallest(tags: ReadonlySet<string>): readonly string[] {
    const sorted = [...tags].sort(compareText)
    if (sorted.length <= maxTraceTags) return sorted
    this.cut += sorted.length - maxTraceTags
    return sorted.slice(0, maxTraceTags)
  }

  /** Sorted, without duplicates. Before the next ones, `clear`. */
  take(): readonly string[] {
    return this.#tags === undefined ? noTags : this.#smallest(this.#tags)
  }

  clear(): void {
    this.#tags = undefined
    this.cut = 0
  }
}
