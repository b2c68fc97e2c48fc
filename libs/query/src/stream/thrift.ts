// Reads and writes the part of Thrift's compact protocol that the footers of Parquet files use. Structs become lists of fields, which the
// module does not interpret.

interface Typed {
  readonly type: number
  readonly value: ThriftValue
}

export interface ThriftField extends Typed {
  readonly id: number
}

interface ThriftList {
  readonly element: number
  readonly items: readonly ThriftValue[]
}

export interface ThriftStruct {
  readonly fields: readonly ThriftField[]
}

/** Integers stay in the wire's zigzag encoding, and fixed-length values and texts stay bytes. */
export type ThriftValue = bigint | boolean | Uint8Array | ThriftList | ThriftStruct

const types = { true: 1, false: 2, byte: 3, i16: 4, i64: 6, double: 7, binary: 8, list: 9, set: 10, struct: 12 } as const

export const zigzag = (value: bigint): bigint => (value >= 0n ? value * 2n : -value * 2n - 1n)
export const unzigzag = (wire: bigint): bigint => (wire % 2n === 0n ? wire / 2n : -(wire + 1n) / 2n)

/** Throws RangeError and TypeError for invalid bytes. */
export function readStruct(bytes: Uint8Array): ThriftStruct {
  let at = 0
  const byte = () => {
    const next = bytes[at++]
    if (next === undefined) throw new RangeError('The footer of a Parquet file ends too early')
    return next
  }
  function varint(): bigint {
    for (let shift = 0n, value = 0n; ; shift += 7n) {
      const next = byte()
      value |= BigInt(next & 0x7f) << shift
      if (next < 0x80) return value
    }
  }
  function taken(length: number): Uint8Array {
    at += length
    return bytes.subarray(at - length, at)
  }
  function list(): ThriftList {
    const head = byte()
    const size = head >> 4 === 15 ? Number(varint()) : head >> 4
    const element = head & 0x0f
    const isFlag = element === types.true || element === types.false
    return { element, items: Array.from({ length: size }, () => (isFlag ? byte() === 1 : value(element))) }
  }
  function value(type: number): ThriftValue {
    if (type === types.true || type === types.false) return type === types.true
    if (type === types.byte) return taken(1)
    if (type >= types.i16 && type <= types.i64) return varint()
    if (type === types.double) return taken(8)
    if (type === types.binary) return taken(Number(varint()))
    if (type === types.list || type === types.set) return list()
    if (type === types.struct) return struct()
    throw new TypeError(`The footer of a Parquet file has a value of the type ${type}`)
  }
  function struct(): ThriftStruct {
    const fields: ThriftField[] = []
    for (let id = 0; ; ) {
      const head = byte()
      if (head === 0) return { fields }
      id = head >> 4 === 0 ? Number(unzigzag(varint())) : id + (head >> 4)
      fields.push({ id, type: head & 0x0f, value: value(head & 0x0f) })
    }
  }
  return struct()
}

export function writeStruct(root: ThriftStruct): Uint8Array {
  const out: number[] = []
  const parts: Uint8Array[] = []
  const flush = () => void parts.push(Uint8Array.from(out.splice(0)))
  function varint(value: bigint): void {
    let left = value
    for (; left >= 0x80n; left >>= 7n) out.push(Number(left & 0x7fn) | 0x80)
    out.push(Number(left))
  }
  function value(type: number, of: ThriftValue): void {
    if (typeof of === 'boolean') return
    if (typeof of === 'bigint') varint(of)
    else if (of instanceof Uint8Array) {
      if (type === types.binary) varint(BigInt(of.length))
      flush()
      parts.push(of)
    } else if ('items' in of) list(of)
    else struct(of)
  }
  function list({ element, items }: ThriftList): void {
    out.push((Math.min(items.length, 15) << 4) | element)
    if (items.length >= 15) varint(BigInt(items.length))
    for (const item of items) {
      if (typeof item === 'boolean') out.push(item ? 1 : 2)
      else value(element, item)
    }
  }
  function struct({ fields }: ThriftStruct): void {
    let last = 0
    for (const { id, type, value: of } of fields) {
      const past = id - last
      if (past > 0 && past <= 15) out.push((past << 4) | type)
      else {
        out.push(type)
        varint(zigzag(BigInt(id)))
      }
      last = id
      value(type, of)
    }
    out.push(0)
  }
  struct(root)
  flush()
  return Buffer.concat(parts)
}
