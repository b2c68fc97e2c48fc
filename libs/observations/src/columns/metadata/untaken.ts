// Attributes that may hold what went in or came out, and of which the row shows something else: they stay in
// the metadata. A key is used only where what it held has gone somewhere.
import type { ByteSource } from '@svc-server/column-store/native'
import { rebuiltFlags } from '../../rules/nested-rebuild.ts'
import { valueKind } from '../../span-view/any-value.ts'
import type { Content } from '../../span-view/content.ts'
import { renderText } from '../../span-view/render-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { contentFlags, keyFlag } from '../../span-view/vocabulary.ts'

const partFlags = [keyFlag.promptPart, keyFlag.completionPart, keyFlag.inputMessagePart, keyFlag.outputMessagePart]
/** Of each of them the entry with the longest text. */
const longest = new Int32Array(partFlags.length)

/** To be called when input and output are what the row shows. */
export function keepUntaken(_row: number, span: SpanView): void {
  const { attributes } = span
  let left = attributes.contentCount
  if (left === 0) return
  const { flags, kinds, starts, ends } = attributes
  const hasParts = (attributes.seenFlags & rebuiltFlags) !== 0
  if (hasParts) longest.fill(-1)
  for (let entry = span.ownFrom; left > 0 && entry < attributes.length; entry++) {
    if ((flags[entry]! & contentFlags) === 0) continue
    left--
    if ((flags[entry]! & keyFlag.content) !== 0) {
      if (!isShown(span, entry)) span.leaveOut(entry)
    } else if (hasParts && (flags[entry]! & rebuiltFlags) !== 0 && kinds[entry] === valueKind.text) {
      for (let i = 0; i < partFlags.length; i++) {
        if ((flags[entry]! & partFlags[i]!) === 0) continue
        const before = longest[i]!
        if (before < 0 || ends[entry]! - starts[entry]! > ends[before]! - starts[before]!) longest[i] = entry
      }
    }
  }
  if (hasParts) keepUntakenParts(span)
}

/** A list whose path is in the keys is shown whole or not at all. */
function keepUntakenParts(span: SpanView): void {
  const { attributes } = span
  let kept = 0
  for (let i = 0; i < partFlags.length; i++) if (longest[i]! >= 0 && !isShown(span, longest[i]!)) kept |= partFlags[i]!
  if (kept === 0) return
  for (let entry = span.ownFrom; entry < attributes.length; entry++) if ((attributes.flags[entry]! & kept) !== 0) span.leaveOut(entry)
}

function isShown(span: SpanView, entry: number): boolean {
  const { kinds, starts, ends } = span.attributes
  if (kinds[entry] === valueKind.none || span.moved.has(entry) || span.leftOut.has(entry)) return true
  if (kinds[entry] === valueKind.text) {
    const start = starts[entry]!
    const end = ends[entry]!
    if (isAt(span.input, span.source, start) || isAt(span.output, span.source, start)) return true
    return isIn(span, span.source, start, end)
  }
  const text = renderText(span.source, span.attributes.value(entry))
  return isIn(span, text, 0, text.length)
}

const isAt = (content: Content, source: ByteSource, start: number): boolean =>
  content.present && content.source === source && content.start === start

/** So much of a text is looked at, and looked for. */
const mostLookedAt = 8192
const mostLookedFor = 256
/** `null`, `{}`, `[]`, `""` and the like. */
const shortest = 4

/**
 * The first piece that is long enough, else the longest one, of what stands in JSON as it is, since the row may
 * show the text as a part of a JSON; of JSON in JSON only letters of ASCII are sure to.
 */
function isIn(span: SpanView, source: ByteSource, start: number, end: number): boolean {
  const { bytes } = source
  const stop = Math.min(end, start + mostLookedAt)
  let from = start
  let to = start
  let at = start
  for (let i = start; i <= stop; i++) {
    const byte = i < stop ? bytes[i]! : 0
    if (byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c) continue
    if (i - at > to - from) {
      from = at
      to = i
      if (to - from >= mostLookedFor) break
    }
    at = i + 1
  }
  if (to === from) {
    // Nothing of ASCII in it: as it is, or not at all.
    if (end - start <= shortest) return true
    from = start
    to = stop
  } else if (
    end - start <= shortest &&
    /^\W*$|^null$/.test(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'))
  ) {
    return true
  }
  const piece = bytes.slice(from, Math.min(to, from + mostLookedFor))
  return holds(span.input, piece) || holds(span.output, piece)
}

const find = Buffer.prototype.includes as unknown as (this: Uint8Array, what: Uint8Array) => boolean

const holds = ({ present, source, start, end }: Content, piece: Uint8Array): boolean =>
  present && end - start >= piece.length && find.call(source.bytes.subarray(start, end), piece)
