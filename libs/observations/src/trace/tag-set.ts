// Collects the tags of one record's spans. If there are too many tags, the set keeps those that come first in text order. The order of the
// spans therefore has no effect.
import type { ByteSource } from '@svc-server/column-store/native'
import type { TagSink } from '../columns/tags.ts'
import { wireText } from '../span-view/json-text.ts'
import { maxTraceTags } from './join.ts'
import { compareText } from './text-order.ts'

/** A longer tag is stored only on its own span. */
export const maxTagLength = 200

// UTF-8 needs at most three bytes for each UTF-16 unit.
const maxTagBytes = 3 * maxTagLength
/** At this size, the set drops all tags except the first `maxTraceTags` in text order. */
const pruneAbove = 8 * maxTraceTags

const noTags: readonly string[] = Object.freeze([])

export class TagSet implements TagSink {
  /** Number of dropped tags. A tag is dropped if it is too long, or if there are too many tags. */
  cut = 0
  #tags: Set<string> | undefined

  string(value: string): void {
    if (value.length > maxTagLength) {
      this.cut++
      return
    }
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

  /** Returns the distinct tags, sorted. Call `clear` before adding tags again. */
  take(): readonly string[] {
    return this.#tags === undefined ? noTags : this.#smallest(this.#tags)
  }

  clear(): void {
    this.#tags = undefined
    this.cut = 0
  }
}
