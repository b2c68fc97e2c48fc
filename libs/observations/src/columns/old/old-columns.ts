// Adapters for v3's table `observations`. With these adapters, the code that writes columns of events can also write columns of this table.
// In this table, optional values are nullable, times are in milliseconds, some names differ, and the total cost is a member of the costs.
// Values without a v3 column are discarded.
import {
  type BlockBuilder,
  type ByteSource,
  createBufferPool,
  LowCardinalityColumn,
  NullableDecimalColumn,
  NullableNumberColumn,
  NullableStringColumn,
  NumberMapColumn,
  StringColumn,
} from '@svc-server/column-store/native'
import { milliseconds } from './identity.ts'

// All bytes go directly to other columns, so the adapters need no buffers.
const pool = createBufferPool(0)

class OptionalText extends StringColumn {
  readonly #to: NullableStringColumn

  constructor(to: NullableStringColumn) {
    super(pool)
    this.#to = to
  }

  override text(row: number, source: ByteSource, start: number, end: number): void {
    this.#to.text(row, source, start, end)
  }

  override string(row: number, value: string): void {
    this.#to.string(row, value)
  }
}

class OptionalBoundedText extends LowCardinalityColumn {
  readonly #to: NullableStringColumn

  constructor(to: NullableStringColumn) {
    super(pool)
    this.#to = to
  }

  override text(row: number, source: ByteSource, start: number, end: number): void {
    this.#to.text(row, source, start, end)
  }
}

class NoText extends StringColumn {
  constructor() {
    super(pool)
  }

  override text(): void {}

  override string(): void {}
}

class OptionalMilliseconds extends NullableNumberColumn {
  readonly #to: NullableNumberColumn

  constructor(to: NullableNumberColumn) {
    super(pool, 8)
    this.#to = to
  }

  override set(row: number, us: number): void {
    this.#to.set(row, milliseconds(us))
  }
}

const totalName = Buffer.from('total')

class CostsWithTotal extends NumberMapColumn {
  readonly #to: NumberMapColumn
  readonly #total: NullableDecimalColumn
  #totalIndex = -1

  constructor(to: NumberMapColumn, total: NullableDecimalColumn) {
    super(pool)
    this.#to = to
    this.#total = total
  }

  override keyIndexOf(source: ByteSource, start: number, end: number): number {
    const index = this.#to.keyIndexOf(source, start, end)
    // A key's number is valid for one block only. In this block, another key can have the number that `total` had in an earlier block.
    if (totalName.equals(source.bytes.subarray(start, end))) this.#totalIndex = index
    else if (index === this.#totalIndex) this.#totalIndex = -1
    return index
  }

  override set(row: number, keyIndex: number, units: number | bigint): void {
    this.#to.set(row, keyIndex, units)
    if (keyIndex === this.#totalIndex) this.#total.set(row, units)
  }
}

const optional = ['version', 'status_message', 'model_parameters', 'prompt_id', 'prompt_name', 'input', 'output']

export function asOldColumns(block: BlockBuilder): BlockBuilder {
  const optionalText = (name: string) => new OptionalText(block.column(name, NullableStringColumn))
  const columns = new Map<string, StringColumn | LowCardinalityColumn | NullableNumberColumn | NumberMapColumn>([
    ...optional.map(name => [name, optionalText(name)] as const),
    ['release', new NoText()],
    ['model_id', optionalText('internal_model_id')],
    ['provided_model_name', new OptionalBoundedText(block.column('provided_model_name', NullableStringColumn))],
    ['completion_start_time', new OptionalMilliseconds(block.column('completion_start_time', NullableNumberColumn))],
    ['cost_details', new CostsWithTotal(block.column('cost_details', NumberMapColumn), block.column('total_cost', NullableDecimalColumn))],
  ])
  return {
    ...block,
    column(name, kind) {
      const column = columns.get(name)
      return column instanceof kind ? column : block.column(name, kind)
    },
  }
}
