// Builds a Native block column by column. The result is the block's bytes, as a list of consecutive parts. Like all blocks over HTTP, the
// block lacks block info and revision fields.
import { AppError } from '@svc-server/errors'
import { type BufferPool, createBufferPool } from './buffer-pool.ts'
import { ByteWriter } from './byte-writer.ts'
import { copyBytes } from './bytes.ts'
import type { Column, PartSink } from './column.ts'
import { columnFor } from './column-for.ts'

export interface ColumnSpec {
  readonly name: string
  readonly type: string
}

export interface BlockBuilder {
  readonly specs: readonly ColumnSpec[]
  /** Throws column_store_data if `kind` does not match the column's type. */
  column<T extends Column>(name: string, kind: abstract new (...args: never[]) => T): T
  repaired(): number
  /**
   * Returns the block's parts, which the caller owns, and starts an empty block. Several small parts can share a buffer; `buffersOf`
   * returns each buffer once.
   */
  finish(rows: number): Uint8Array[]
  /** Returns the memory of a block to the pool. After this call, the caller must not read the block's parts. */
  recycle(parts: readonly Uint8Array[]): void
}

// Up to this size, copying a part is cheaper than one more write to the socket.
const smallPartBytes = 16_384
const gatherBytes = 65_536

class BlockParts implements PartSink {
  readonly #parts: Uint8Array[] = []
  readonly #pool: BufferPool
  /** Collects small pieces. The pieces never move in memory, because the parts that `finish` has returned can be views of this memory. */
  #gather: Uint8Array = new Uint8Array(0)
  #length = 0
  #sent = 0

  constructor(pool: BufferPool) {
    this.#pool = pool
  }

  copy(part: Uint8Array): void {
    if (part.length < smallPartBytes) this.#collect(part)
    else this.#push(part.slice())
  }

  own(part: Uint8Array): void {
    if (part.length < smallPartBytes) {
      this.#collect(part)
      this.#pool.give(part.buffer)
    } else this.#push(part)
  }

  #push(part: Uint8Array): void {
    this.#flush()
    this.#parts.push(part)
  }

  #collect(part: Uint8Array): void {
    this.#room(part.length)
    copyBytes(part, 0, part.length, this.#gather, this.#length)
    this.#length += part.length
  }

  varint(value: number): void {
    this.#room(10)
    for (; value > 0x7f; value = Math.floor(value / 128)) this.#gather[this.#length++] = (value & 0x7f) | 0x80
    this.#gather[this.#length++] = value
  }

  u64(value: number): void {
    this.#room(8)
    new DataView(this.#gather.buffer).setBigUint64(this.#length, BigInt(value), true)
    this.#length += 8
  }

  #room(n: number): void {
    if (this.#length + n <= this.#gather.length) return
    this.#flush()
    this.#gather = this.#pool.take(gatherBytes)
    this.#length = 0
    this.#sent = 0
  }

  #flush(): void {
    if (this.#length > this.#sent) this.#parts.push(this.#gather.subarray(this.#sent, this.#length))
    this.#sent = this.#length
  }

  finish(): Uint8Array[] {
    this.#flush()
    return this.#parts
  }
}

/** Discards the bytes of an empty block. `finish` writes the columns of such a block only because `writeData` resets them. */
const nowhere: PartSink = { copy() {}, own() {}, varint() {}, u64() {} }

/** Without `pool`, memory is not reused. Throws column_store_data for an unsupported type. */
export function createBlockBuilder(specs: readonly ColumnSpec[], pool: BufferPool = createBufferPool(0)): BlockBuilder {
  const columns = new Map(specs.map(spec => [spec.name, columnFor(spec.type, pool)]))
  const headers = specs.map(({ name, type }) => {
    const header = new ByteWriter(pool)
    header.string(name)
    header.string(type)
    return Buffer.concat(header.take())
  })

  return {
    specs,

    column(name, kind) {
      const column = columns.get(name)
      if (!(column instanceof kind)) {
        throw new AppError('column_store_data', `column ${name} is ${columnTypeOf(specs, name)}, not a ${kind.name}`, { column: name })
      }
      return column
    },

    repaired() {
      let sum = 0
      for (const column of columns.values()) sum += column.repaired
      return sum
    },

    finish(rows) {
      const sink = new BlockParts(pool)
      sink.varint(specs.length)
      sink.varint(rows)
      specs.forEach(({ name }, i) => {
        const column = columns.get(name)!
        sink.copy(headers[i]!)
        const data = rows > 0 ? sink : nowhere
        column.writePrefix(data)
        column.writeData(data, rows)
      })
      return sink.finish()
    },

    recycle(parts) {
      for (const buffer of buffersOf(parts)) pool.give(buffer)
    },
  }
}

const columnTypeOf = (specs: readonly ColumnSpec[], name: string) => specs.find(spec => spec.name === name)?.type ?? 'absent'

/** Each buffer once. */
export const buffersOf = (parts: readonly Uint8Array[]): readonly ArrayBufferLike[] => [...new Set(parts.map(part => part.buffer))]

/** Omits shared buffers, because the transfer list of a postMessage must not contain them. */
export const transferables = (buffers: readonly ArrayBufferLike[]): ArrayBuffer[] => buffers.filter(buffer => buffer instanceof ArrayBuffer)
