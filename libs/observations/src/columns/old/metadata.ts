// In the v3 table, the metadata is a map from names to texts, without nesting. A value that is not a text is stored as JSON (contract
// §10.13).
import { type BlockBuilder, NamedTextMapColumn } from '@svc-server/column-store/native'
import { jsonText } from '../../span-view/json-text.ts'
import type { ColumnWriter } from '../column-writer.ts'
import { estimatedUsageName } from '../metadata/estimated.ts'
import type { UserMetadata } from '../metadata/user-metadata.ts'
import { SpanMetadata } from '../span-metadata.ts'

export function observationMetadata(block: BlockBuilder, user: UserMetadata): ColumnWriter {
  const column = block.column('metadata', NamedTextMapColumn)
  const metadata = new SpanMetadata(user)
  return (row, span) => {
    for (const [name, value] of Object.entries(metadata.ofCollected(span, true))) {
      const text = typeof value === 'string' ? value : jsonText(value)
      if (text !== undefined) column.set(row, name, text)
    }
    if (span.usageIsEstimated) column.set(row, estimatedUsageName, 'true')
  }
}
