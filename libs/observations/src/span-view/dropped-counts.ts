// Reads OTLP's counts of data that the client's SDK dropped. Most SDKs always send the counts, so a count of 0 is ignored.
import type { ByteSource } from '@svc-server/column-store/native'
import { WireReader, wireType } from '@svc-server/otlp/wire'

const eventField = 4
const linkField = 5
const reader = new WireReader()

export class DroppedCounts {
  resource = 0
  scope = 0
  attributes = 0
  events = 0
  links = 0

  clearSpan(): void {
    this.attributes = this.events = this.links = 0
  }

  readSpanField(from: WireReader): void {
    if (from.field === 10) this.attributes = from.uint32()
    else if (from.field === 12) this.events = from.uint32()
    else if (from.field === 14) this.links = from.uint32()
  }
}

/** Returns the total number of attributes that were dropped from the events at `ranges`. Each range is [start, end). */
export const droppedOfEvents = (source: ByteSource, ranges: readonly number[]): number => sumOf(source, ranges, eventField)
export const droppedOfLinks = (source: ByteSource, ranges: readonly number[]): number => sumOf(source, ranges, linkField)

function sumOf({ bytes }: ByteSource, ranges: readonly number[], field: number): number {
  let sum = 0
  for (let i = 0; i < ranges.length; i += 2) {
    let count = 0
    reader.open(bytes, ranges[i]!, ranges[i + 1]!)
    while (reader.advance() === 1) if (reader.field === field && reader.type === wireType.varint) count = reader.uint32()
    sum += count
  }
  return sum
}
