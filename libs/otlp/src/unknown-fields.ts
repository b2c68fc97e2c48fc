// Finds unknown fields in a request without spans, so that the response can name them.
import { WireReader, wireType } from './wire.ts'

/**
 * `known` has the numbers of the known fields of the request, of ResourceSpans, and of ScopeSpans. `down` has one field number for each of
 * these messages. For the request, this field contains ResourceSpans. For ResourceSpans, this field contains ScopeSpans. For ScopeSpans,
 * the number is -1, because the function does not search the spans.
 */
const known = [[1], [1, 2, 3], [1, 2, 3]] as const
const down = [1, 2, -1] as const
const mostNamed = 3

/** Returns at most three unknown fields. Searches only the messages that enclose spans. */
export function unknownFields(bytes: Uint8Array): readonly string[] {
  const found = new Set<string>()
  const read = (start: number, end: number, level: number): void => {
    const reader = new WireReader().open(bytes, start, end)
    while (found.size < mostNamed && reader.advance() === 1) {
      if (!(known[level] as readonly number[]).includes(reader.field)) found.add(`field ${reader.field}`)
      else if (reader.field === down[level] && reader.type === wireType.length) read(reader.start, reader.stop, level + 1)
    }
  }
  read(0, bytes.length, 0)
  return [...found]
}
