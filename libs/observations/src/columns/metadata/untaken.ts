// Finds attributes whose key marks them as an input or output, but whose text is in neither the input nor the output of the row. Such
// attributes stay in the metadata.
import type { ByteSource } from '@svc-server/column-store/native'
import { rebuiltFlags } from '../../rules/nested-rebuild.ts'
import { valueKind } from '../../span-view/any-value.ts'
import type { Content } from '../../span-view/content.ts'
import { renderText } from '../../span-view/render-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { contentFlags, keyFlag } from '../../span-view/vocabulary.ts'

const partFlags = [keyFlag.promptPart, keyFlag.completionPart, keyFlag.inputMessagePart, keyFlag.outputMessagePart]
/** For each kind of message part, the attribute with the longest text. */
const longest = new Int32Array(partFlags.length)

/** Call this function after the input and output of the row are final, because it compares the attributes with both. */
export function keepUntaken(_row: number, span: SpanView): void {
  const { attributes } = span
  let left = attributes.contentCount
  if (left === 0) return
  const { flags, kinds, starts, ends } = attributes
  const parts = attributes.seenFlags & rebuiltFlags & ~(span.input.partFlags | span.output.partFlags)
  const hasParts = parts !== 0
  if (hasParts) longest.fill(-1)
  for (let entry = span.ownFrom; left > 0 && entry < attributes.length; entry++) {
    if ((flags[entry]! & contentFlags) === 0) continue
    left--
    if ((flags[entry]! & keyFlag.content) !== 0) {
      if (!isShown(span, entry)) span.leaveOut(entry)
    } else if (hasParts && (flags[entry]! & parts) !== 0 && kinds[entry] === valueKind.text) {
      for (let i = 0; i < partFlags.length; i++) {
        if ((flags[entry]! & partFlags[i]!) === 0) continue
        const before = longest[i]!
        if (before < 0 || ends[entry]! - starts[entry]! > ends[before]! - starts[before]!) longest[i] = entry
      }
    }
  }
  if (hasParts) keepUntakenParts(span)
}

/**
 * Several attributes, with paths in their keys, can form one list of message parts. The row shows such a list completely or not at all. If
 * the row does not show a list, this function keeps all attributes of the list in the metadata.
 */
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
    return (
      isWhole(span.input, span.source, start, end) || isWhole(span.output, span.source, start, end) || isIn(span, span.source, start, end)
    )
  }
  const text = renderText(span.source, span.attributes.value(entry))
  return isIn(span, text, 0, text.length)
}

const isAt = (content: Content, source: ByteSource, start: number): boolean =>
  content.present && content.source === source && content.start === start

const compare = Buffer.prototype.compare as unknown as (
  this: Uint8Array,
  other: Uint8Array,
  otherStart: number,
  otherEnd: number,
  start: number,
  end: number,
) => number
/** Length of the text `{"messages":`. If tools were moved into an input, the input begins with this text. */
const beforeMessages = 12

/**
 * Looks for the text at only two positions of the content, because two comparisons are much cheaper than a search. If instructions were
 * added before the text, the text is at the end of the content. If tools were added to a list of messages, the content is an object that
 * begins with `{"messages":`, and the text follows directly.
 */
function isWhole({ present, source, start, end }: Content, of: ByteSource, from: number, to: number): boolean {
  const length = to - from
  if (!present || source === of || end - start < length || length < 2) return false
  if (isSame(source, end - length + 1, of, from + 1, to)) return true
  // The compared range must end at or before `end`, because the buffer contains older data after `end`.
  return start + beforeMessages + length <= end && isSame(source, start + beforeMessages, of, from, to)
}

const isSame = (source: ByteSource, at: number, of: ByteSource, from: number, to: number): boolean =>
  source.bytes[at] === of.bytes[from] &&
  source.bytes[at + to - from - 1] === of.bytes[to - 1] &&
  compare.call(source.bytes, of.bytes, from, to, at, at + to - from) === 0

/** Contains 1 for each ASCII byte that JSON does not escape, and 0 for all other bytes. */
const isUnescaped = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c ? 1 : 0))

/** The function `isIn` looks only at this number of bytes from the start of a text. */
const mostLookedAt = 8192
/** The function `isIn` searches the input and output for one piece of a text. This is the maximum size of the piece, in bytes. */
const mostLookedFor = 256
/** Only a text of at most this many bytes can be an empty value, such as `null`, `{}`, `[]`, or `""`. */
const shortest = 4

/**
 * Searches the input and the output for one long piece of the text, and returns true if either of them contains this piece. In the input or
 * output, the text can be part of a JSON text. The piece must therefore have no characters that JSON escapes. The function searches for the
 * first piece that is long enough or, if no piece is long enough, for the longest piece. Also returns true if the text is an empty value.
 */
function isIn(span: SpanView, source: ByteSource, start: number, end: number): boolean {
  const { bytes } = source
  const stop = Math.min(end, start + mostLookedAt)
  let from = start
  let to = start
  let at = start
  // The best piece so far is [from, to), so a longer piece has at least `to - from + 1` bytes. The loop checks the last of these bytes
  // first. If this byte cannot be in a piece, the loop also skips the bytes before it. The loop therefore skips most bytes.
  while (at + (to - from) < stop && to - from < mostLookedFor) {
    let i = at + (to - from)
    while (i >= at && isUnescaped[bytes[i]!] === 1) i--
    if (i >= at) {
      at = i + 1
      continue
    }
    let after = at + (to - from) + 1
    while (after < stop && isUnescaped[bytes[after]!] === 1) after++
    from = at
    to = after
    at = after + 1
  }
  if (to === from) {
    // The loop found no ASCII character that JSON leaves unescaped, so the text probably consists of non-ASCII characters. JSON does not
    // escape such characters, so the search looks for the unchanged text.
    if (end - start <= shortest) return true
    from = start
    to = stop
  } else if (
    end - start <= shortest &&
    /^\W*$|^null$/.test(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'))
  ) {
    return true
  }
  const piece = bytes.subarray(from, Math.min(to, from + mostLookedFor))
  return holds(span.input, piece) || holds(span.output, piece)
}

const find = Buffer.prototype.includes as unknown as (this: Uint8Array, what: Uint8Array) => boolean

const holds = ({ present, source, start, end }: Content, piece: Uint8Array): boolean =>
  present && end - start >= piece.length && find.call(source.bytes.subarray(start, end), piece)
