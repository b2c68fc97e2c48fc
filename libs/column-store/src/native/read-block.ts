// Converts a Native block back to rows, without an engine. Shares no code with the builders, so that it can check them.
import { AppError } from '@svc-server/errors'

export type CellValue = string | number | boolean | null | readonly CellValue[] | { readonly [key: string]: CellValue }

/** Returns decimals, times, and integers beyond 2^53 as texts. A time has the form `YYYY-MM-DD hh:mm:ss.ffffff` in UTC. */
export function readNativeBlock(parts: readonly Uint8Array[]): Record<string, CellValue>[] {
  const reader = new BlockReader(Buffer.concat(parts))
  const columnCount = reader.varint()
  const rowCount = reader.varint()
  const rows: Record<string, CellValue>[] = Array.from({ length: rowCount }, () => ({}))
  for (let column = 0; column < columnCount; column++) {
    const name = reader.text()
    const type = reader.text()
    if (rowCount === 0) continue
    reader.prefix(type)
    reader.values(type, rowCount).forEach((value, row) => {
      rows[row]![name] = value
    })
  }
  if (!reader.atEnd) throw new AppError('column_store_data', 'the block has bytes after its last column')
  return rows
}

const inner = (type: string, outer: string): string | undefined =>
  type.startsWith(`${outer}(`) && type.endsWith(')') ? type.slice(outer.length + 1, -1) : undefined

/** For `Map(K, V)`, returns K and V. K must not contain a comma. */
function mapTypes(type: string): readonly [key: string, value: string] | undefined {
  const types = inner(type, 'Map')
  const comma = types?.indexOf(', ') ?? -1
  return types === undefined || comma < 0 ? undefined : [types.slice(0, comma), types.slice(comma + 2)]
}

const decimalScale = 12

class BlockReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  text(): string {
    const length = this.varint()
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  #fixed(width: 1 | 2 | 4 | 8, signed = false): bigint {
    const at = this.#at
    this.#at += width
    if (width === 8) return signed ? this.#bytes.readBigInt64LE(at) : this.#bytes.readBigUInt64LE(at)
    return BigInt(this.#bytes.readUIntLE(at, width))
  }

  #float(): number {
    this.#at += 8
    return this.#bytes.readDoubleLE(this.#at - 8)
  }

  prefix(type: string): void {
    const map = mapTypes(type)
    if (map !== undefined) for (const each of map) this.prefix(each)
    else if (inner(type, 'Array') !== undefined) this.prefix(inner(type, 'Array')!)
    else if (inner(type, 'LowCardinality') !== undefined) this.#fixed(8)
  }

  values(type: string, count: number): readonly CellValue[] {
    const times = <T>(read: () => T): T[] => Array.from({ length: count }, read)
    const map = mapTypes(type)
    if (map !== undefined) return this.#mapValues(map, times)
    const element = inner(type, 'Array')
    if (element !== undefined) {
      const ends = times(() => Number(this.#fixed(8)))
      const all = this.values(element, ends.at(-1) ?? 0)
      return ends.map((end, row) => all.slice(row === 0 ? 0 : ends[row - 1], end))
    }
    const nullable = inner(type, 'Nullable')
    if (nullable !== undefined) {
      const nulls = times(() => this.#fixed(1) === 1n)
      return this.values(nullable, count).map((value, row) => (nulls[row] ? null : value))
    }
    if (type === 'LowCardinality(String)') return this.#lowCardinality(count)
    return times(() => this.#scalar(type))
  }

  #mapValues([keyType, valueType]: readonly [string, string], times: <T>(read: () => T) => T[]): readonly CellValue[] {
    const ends = times(() => Number(this.#fixed(8)))
    const keys = this.values(keyType, ends.at(-1) ?? 0)
    const values = this.values(valueType, ends.at(-1) ?? 0)
    return ends.map((end, row) => {
      const start = row === 0 ? 0 : ends[row - 1]!
      return Object.fromEntries(keys.slice(start, end).map((key, i) => [String(key), values[start + i]!]))
    })
  }

  #lowCardinality(count: number): readonly CellValue[] {
    if (count === 0) return []
    const width = ([1, 2, 4, 8] as const)[Number(this.#fixed(8) & 0xffn)]!
    const dictionary = Array.from({ length: Number(this.#fixed(8)) }, () => this.text())
    this.#fixed(8)
    return Array.from({ length: count }, () => dictionary[Number(this.#fixed(width))]!)
  }

  #scalar(type: string): CellValue {
    switch (type) {
      case 'String':
        return this.text()
      case 'Bool':
        return this.#fixed(1) === 1n
      case 'UInt8':
        return Number(this.#fixed(1))
      case 'UInt16':
        return Number(this.#fixed(2))
      case 'UInt64': {
        const value = this.#fixed(8)
        return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value)
      }
      case 'DateTime64(6)':
        return timeText(this.#fixed(8, true))
      case 'DateTime64(3)':
        return timeText(this.#fixed(8, true) * 1000n).slice(0, -3)
      case 'Float64':
        return this.#float()
      case 'Decimal(18, 12)':
        return decimalText(this.#fixed(8, true))
      default:
        throw new AppError('column_store_data', `no Native reader for the column type ${type}`, { type })
    }
  }
}

function timeText(us: bigint): string {
  const [day, time] = new Date(Number(us / 1000n)).toISOString().slice(0, -1).split('T')
  return `${day} ${time}${String(us % 1000n).padStart(3, '0')}`
}

function decimalText(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(decimalScale + 1, '0')
  const fraction = digits.slice(-decimalScale).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimalScale)}${fraction === '' ? '' : `.${fraction}`}`
}
