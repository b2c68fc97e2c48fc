// Builds a Native block from objects, for tables with few rows.
import { type BufferPool, createBlockBuilder } from '@svc-server/column-store/native'
import { bodyHash } from '@svc-server/observations/block/body-hash'
import type { Column } from '@svc-server/schema/events/columns'
import type { EncodedRows } from './row-encoder.ts'
import { createRowWriter, type RowOf } from './row-writer.ts'

export interface ObjectBlock {
  add<Row extends RowOf<Row>>(row: Row): void
  finish(): Pick<EncodedRows, 'columns' | 'body' | 'hash' | 'rows'> & { readonly repairedTexts: number }
}

/** `pool`: memory for the blocks. Throws the errors of `createRowWriter`. */
export function createObjectBlock(columns: readonly Column[], pool?: BufferPool): ObjectBlock {
  const block = createBlockBuilder(columns, pool)
  const write = createRowWriter(block, columns)
  const names = columns.map(({ name }) => name)
  let rows = 0

  return {
    add(row) {
      write(rows, row)
      rows += 1
    },
    finish() {
      const repairedTexts = block.repaired()
      const body = block.finish(rows)
      const made = { columns: names, body, hash: bodyHash(body), rows, repairedTexts }
      rows = 0
      return made
    },
  }
}
