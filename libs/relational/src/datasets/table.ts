import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  datasets: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text',
    name: 'text',
    description: 'text?',
    metadata: 'json?',
    input_schema: 'json?',
    expected_output_schema: 'json?',
  }),
  dataset_items: columns({
    id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    project_id: 'text',
    status: 'text=',
    input: 'json?',
    expected_output: 'json?',
    metadata: 'json?',
    source_trace_id: 'text?',
    source_observation_id: 'text?',
    dataset_id: 'text',
    valid_from: 'time=',
    /** Null for the newest version of the item. */
    valid_to: 'time?',
    is_deleted: 'boolean=',
  }),
  /**
   * Each row counts the active items of one section of a dataset. The section begins at the position of the row and ends before the next
   * row. If several rows have the same position, readers add the counts of these rows.
   */
  dataset_item_counts: columns({ project_id: 'text', dataset_id: 'text', from_created_at: 'time', from_id: 'text', items: 'bigint' }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
