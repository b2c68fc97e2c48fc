// A span's input or output before it is written: a range of the request's bytes, or a new text.
import type { ByteSource, ByteWriter } from '@svc-server/column-store/native'
import { valueKind } from './any-value.ts'
import type { Attributed } from './attribute-store.ts'
import { wireText } from './json-text.ts'
import { renderText, scratchWriter } from './render-text.ts'

const nothing: ByteSource = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)) }

export class Content {
  /** True if there is content, even if the content is an empty text. */
  present = false
  source: ByteSource = nothing
  start = 0
  end = 0
  /**
   * If the content was rebuilt from message parts and no part was dropped, `partFlags` is the flag (`keyFlag`) of the keys of these
   * parts. For any other content, `partFlags` is 0.
   */
  partFlags = 0
  readonly #own: ByteWriter = scratchWriter()

  clear(): void {
    if (!this.present) return
    this.present = false
    this.source = nothing
    this.start = this.end = 0
    this.partFlags = 0
  }

  /** Sets the content to the text of the attribute `entry`, or clears the content if `entry` is -1. */
  attribute(span: Attributed, entry: number): void {
    if (entry < 0) {
      this.clear()
      return
    }
    const { kinds, starts, ends } = span.attributes
    if (kinds[entry] === valueKind.text) this.range(span.source, starts[entry]!, ends[entry]!)
    else this.copy(renderText(span.source, span.attributes.value(entry)))
  }

  range(source: ByteSource, start: number, end: number): void {
    this.present = true
    this.source = source
    this.start = start
    this.end = end
    this.partFlags = 0
  }

  copy(text: ByteWriter): void {
    const own = this.writer()
    own.raw(text.bytes, 0, text.length)
    this.written()
  }

  string(text: string): void {
    const own = this.writer()
    own.chars(text)
    this.written()
  }

  enclose(before: string, after: string): void {
    const { source, start, end } = this
    if (source === this.#own) {
      this.string(before + this.text() + after)
      return
    }
    const own = this.writer()
    own.chars(before)
    own.raw(source.bytes, start, end)
    own.chars(after)
    this.written()
  }

  /** Replaces the bytes in [from, to), which must lie within the content. */
  replace(from: number, to: number, text: string): void {
    const { source, start, end } = this
    if (source === this.#own) {
      this.string(wireText(source, start, from) + text + wireText(source, to, end))
      return
    }
    const own = this.writer()
    own.raw(source.bytes, start, from)
    own.chars(text)
    own.raw(source.bytes, to, end)
    this.written()
  }

  /** Returns a writer for a new text. `written` completes the text. The previous content becomes invalid. */
  writer(): ByteWriter {
    this.#own.rewind()
    return this.#own
  }

  written(): void {
    this.range(this.#own, 0, this.#own.length)
  }

  /** Copies the content `other`. Later changes of `other` do not affect the copy. */
  take(other: Content): void {
    if (!other.present) this.clear()
    else if (other.source !== other.#own) this.range(other.source, other.start, other.end)
    else this.copy(other.#own)
    this.partFlags = other.partFlags
  }

  text(): string {
    return wireText(this.source, this.start, this.end)
  }
}
