export { type BlockBuilder, buffersOf, type ColumnSpec, createBlockBuilder, transferables } from './block-builder.ts'
export { type BufferPool, createBufferPool } from './buffer-pool.ts'
export { ByteDictionary } from './byte-dictionary.ts'
export { type ByteSource, byteSource, sourceOf } from './byte-source.ts'
export { ByteWriter } from './byte-writer.ts'
export { copyBytes } from './bytes.ts'
export type { TextColumn } from './column.ts'
export { IndexBuffer } from './index-buffer.ts'
export { LowCardinalityColumn, type LowCardinalityValues } from './low-cardinality.ts'
export { ArrayColumn, LowCardinalityArrayColumn, NamedTextMapColumn, NumberMapColumn, TextMapColumn } from './nested-columns.ts'
export { type CellValue, readNativeBlock } from './read-block.ts'
export {
  FloatColumn,
  NullableDecimalColumn,
  NullableNumberColumn,
  NullableStringColumn,
  NumberColumn,
  StringColumn,
} from './scalar-columns.ts'
