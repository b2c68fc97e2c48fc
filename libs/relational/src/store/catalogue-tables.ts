// The catalogue's tables as TypeScript sees them.
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

/** A decimal: read as its text, because a double would change it. */
type Decimal = ColumnType<string, string | number, string | number>

interface Times {
  readonly created_at: Generated<Date>
  readonly updated_at: Generated<Date>
}

export interface ModelsTable extends Times {
  readonly id: string
  /** Null: for every project. */
  readonly project_id: string | null
  readonly model_name: string
  readonly match_pattern: string
  readonly start_date: Date | null
  /** Prices of rows that have no tier; older servers wrote them. */
  readonly input_price: Decimal | null
  readonly output_price: Decimal | null
  readonly total_price: Decimal | null
  readonly unit: string | null
  readonly tokenizer_id: string | null
  readonly tokenizer_config: JSONColumnType<object> | null
}

export interface PricingTiersTable extends Times {
  readonly id: string
  readonly model_id: string
  readonly name: string
  readonly is_default: Generated<boolean>
  readonly priority: number
  readonly conditions: ColumnType<unknown, string | undefined, string>
}

export interface PricesTable extends Times {
  readonly id: string
  readonly model_id: string
  readonly project_id: string | null
  readonly pricing_tier_id: string
  readonly usage_type: string
  readonly price: Decimal
}

export interface PromptsTable extends Times {
  readonly id: string
  readonly project_id: string
  readonly created_by: string
  readonly prompt: ColumnType<unknown, string, string>
  readonly name: string
  readonly version: number
  readonly type: Generated<string>
  readonly is_active: boolean | null
  readonly config: ColumnType<unknown, string | undefined, string>
  readonly tags: Generated<string[]>
  readonly labels: Generated<string[]>
  readonly commit_message: string | null
}
