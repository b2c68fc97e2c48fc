// A model without a project applies to every project.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  models: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text?',
    model_name: 'text',
    match_pattern: 'text',
    start_date: 'time?',
    /** Rows that older servers wrote have no tiers. Such a row has its prices in this column and the next two. */
    input_price: 'decimal?',
    output_price: 'decimal?',
    total_price: 'decimal?',
    unit: 'text?',
    tokenizer_id: 'text?',
    tokenizer_config: 'json?',
  }),
  pricing_tiers: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    model_id: 'text',
    name: 'text',
    is_default: 'boolean=',
    priority: 'integer',
    conditions: 'json=',
  }),
  prices: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    model_id: 'text',
    project_id: 'text?',
    pricing_tier_id: 'text',
    usage_type: 'text',
    price: 'decimal',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
