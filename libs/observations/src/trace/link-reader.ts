// A record of spans to how they hang together: for who has to know which of them lie below another one.
import { createRecordWalk, type RecordWalkOptions } from './record-walk.ts'
import { isMarkedRoot } from './roots.ts'

interface Link {
  /** Its place in the record. */
  readonly index: number
  /** 16 hex digits. */
  readonly id: string
  /** Empty: it has none. */
  readonly parentId: string
  /** 0: it has no parent; 1: it is marked as a root; 2: neither. */
  readonly rank: number
  readonly startUs: number
}

export interface LinkReader {
  /** Of every span that becomes a row; none of a record that cannot be read. Never throws for what it contains. */
  read(value: Uint8Array): readonly Link[]
}

const idBytes = 8

export function createLinkReader(options: RecordWalkOptions = {}): LinkReader {
  const { span, walk } = createRecordWalk(options)
  const hexAt = ({ bytes }: typeof span.source, at: number) => Buffer.from(bytes.buffer, bytes.byteOffset + at, idBytes).toString('hex')

  return {
    read(value) {
      const links: Link[] = []
      const row = () => {
        const { index, source, spanId, parentSpanId, startUs } = span
        const parentId = parentSpanId < 0 ? '' : hexAt(source, parentSpanId)
        const rank = parentSpanId < 0 ? 0 : isMarkedRoot(span) ? 1 : 2
        links.push({ index, id: hexAt(source, spanId), parentId, rank, startUs })
      }
      walk(value, () => ({ row, rejected: () => {} }))
      return links
    },
  }
}
