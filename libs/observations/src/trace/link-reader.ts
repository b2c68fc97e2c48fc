// Reads the parent links of a record's spans, to find the descendants of a span.
import { createRecordWalk, type RecordWalkOptions } from './record-walk.ts'
import { isMarkedRoot } from './roots.ts'

interface Link {
  /** Position in the record. */
  readonly index: number
  /** 16 hex digits. */
  readonly id: string
  /** Empty for a span without a parent. */
  readonly parentId: string
  /** 0 for a span without a parent, 1 for a span marked as root, 2 for a span that cannot be the root. */
  readonly rank: number
  readonly startUs: number
}

export interface LinkReader {
  /** Returns links of the spans that become rows. For an unreadable record, returns no links instead of throwing. */
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
