// The time of the first token.
import { type BlockBuilder, NullableNumberColumn } from '@svc-server/column-store/native'
import { rulesOf } from '../dialects/registry.ts'
import { firstOf, forColumn } from '../rules/rules.ts'
import type { ColumnWriter } from './column-writer.ts'

const completionStartRules = forColumn('completion_start_time', rulesOf('completionStart'))

export function completionStartColumn(block: BlockBuilder): ColumnWriter {
  const column = block.column('completion_start_time', NullableNumberColumn)
  return (row, span) => {
    const time = firstOf(completionStartRules, span)
    if (time !== undefined) column.set(row, time)
  }
}
