// What a request without spans holds instead: who sent it should hear of it.
import { WireReader, wireType } from './wire.ts'

/** Fields of the request, of what a resource has, and of what a scope has; the second one leads to the next of these. */
const known = [[1], [1, 2, 3], [1, 2, 3]] as const
const down = [1, 2, -1] as const
const mostNamed = 3

/** Numbers of fields that no request has where its spans could be, at most three of them. */
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
