// Joins many Parquet files into one file. The module concatenates the files' row groups and writes a footer with the new offsets of the
// columns. Several files are needed, because the column store can write only whole files, and a single file with all rows of a filter would
// fill the column store's memory.
import { readStruct, type ThriftField, type ThriftStruct, type ThriftValue, unzigzag, writeStruct, zigzag } from './thrift.ts'

export interface ParquetJoin {
  /**
   * Adds a file to the joined file. All added files must have the same columns. Returns the bytes to append to the joined file, and the
   * number of rows in the added file.
   */
  add(file: Uint8Array): { readonly bytes: Uint8Array; readonly rows: number }
  /** Returns the footer of the joined file. */
  end(): Uint8Array
}

const magic = Buffer.from('PAR1')
/** Fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData (parquet.thrift). */
const file = { rows: 3, groups: 4 } as const
const group = { columns: 1, offset: 5, ordinal: 7 } as const
const chunk = { offset: 2, metadata: 3 } as const
const column = { dataPage: 9, indexPage: 10, dictionaryPage: 11 } as const
/**
 * Ids of the fields that describe where the indexes and filters of a source file are. The joined file does not contain these indexes and
 * filters.
 */
const indexes = { ofChunk: new Set([4, 5, 6, 7]), ofColumn: new Set([14, 15]) } as const

const isStruct = (value: ThriftValue): value is ThriftStruct => typeof value === 'object' && 'fields' in value

const changed = ({ fields }: ThriftStruct, change: (field: ThriftField) => ThriftValue | undefined): ThriftStruct => ({
  fields: fields.flatMap(field => {
    const value = change(field)
    return value === undefined ? [] : [{ ...field, value }]
  }),
})

const moved = (value: ThriftValue, by: bigint): ThriftValue =>
  typeof value === 'bigint' && value !== 0n ? zigzag(unzigzag(value) + by) : value

const movedColumn = (metadata: ThriftStruct, by: bigint) =>
  changed(metadata, ({ id, value }) => {
    if (indexes.ofColumn.has(id)) return undefined
    return id === column.dataPage || id === column.indexPage || id === column.dictionaryPage ? moved(value, by) : value
  })

const movedChunk = (of: ThriftStruct, by: bigint) =>
  changed(of, ({ id, value }) => {
    if (indexes.ofChunk.has(id)) return undefined
    if (id === chunk.metadata && isStruct(value)) return movedColumn(value, by)
    return id === chunk.offset ? moved(value, by) : value
  })

const movedGroup = (of: ThriftStruct, by: bigint, ordinal: number) =>
  changed(of, ({ id, value }) => {
    if (id === group.columns && typeof value === 'object' && 'items' in value) {
      return { ...value, items: value.items.map(each => (isStruct(each) ? movedChunk(each, by) : each)) }
    }
    if (id === group.ordinal) return ordinal < 2 ** 15 ? zigzag(BigInt(ordinal)) : undefined
    return id === group.offset ? moved(value, by) : value
  })

export function createParquetJoin(): ParquetJoin {
  /** The metadata of the first file. For the metadata of the joined file, `end` replaces the row count and the row groups. */
  let model: ThriftStruct | undefined
  const groups: ThriftStruct[] = []
  let written = BigInt(magic.length)
  let rows = 0n

  return {
    add(bytes) {
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (!view.subarray(-4).equals(magic)) throw new TypeError('The column store wrote a file that is not a Parquet file')
      const footerAt = view.length - 8 - view.readUInt32LE(view.length - 8)
      // The footer is copied, because its values are views of the file's bytes. Without the copy, the views would keep the whole file in
      // memory until the end of the stream.
      const footer = readStruct(Buffer.from(view.subarray(footerAt, -8)))
      const value = (id: number) => footer.fields.find(field => field.id === id)?.value
      const [count, own] = [value(file.rows), value(file.groups)]
      const isFirst = model === undefined
      model ??= footer
      const by = written - BigInt(magic.length)
      for (const each of typeof own === 'object' && 'items' in own ? own.items : []) {
        if (isStruct(each)) groups.push(movedGroup(each, by, groups.length))
      }
      const added = typeof count === 'bigint' ? unzigzag(count) : 0n
      rows += added
      written += BigInt(footerAt - magic.length)
      return { bytes: view.subarray(isFirst ? 0 : magic.length, footerAt), rows: Number(added) }
    },
    end() {
      if (model === undefined) throw new TypeError('The first slice must define the columns of a Parquet file')
      const footer = writeStruct(
        changed(model, ({ id, value }) => {
          if (id === file.rows) return zigzag(rows)
          return id === file.groups && typeof value === 'object' && 'items' in value ? { ...value, items: groups } : value
        }),
      )
      const length = Buffer.alloc(4)
      length.writeUInt32LE(footer.length)
      return Buffer.concat([footer, length, magic])
    },
  }
}
