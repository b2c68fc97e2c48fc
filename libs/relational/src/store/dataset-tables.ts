// Score configurations and datasets as TypeScript sees them.
import type { ColumnType, Generated } from 'kysely'

interface Times {
  readonly created_at: Generated<Date>
  readonly updated_at: Generated<Date>
}

/** JSON: written as its text. */
type Json = ColumnType<unknown, string | null | undefined, string | null>

export interface ScoreConfigsTable extends Times {
  readonly id: string
  readonly project_id: string
  readonly name: string
  /** NUMERIC, BOOLEAN, CATEGORICAL or TEXT. */
  readonly data_type: string
  readonly is_archived: Generated<boolean>
  readonly min_value: number | null
  readonly max_value: number | null
  /** A list of { label, value }. */
  readonly categories: Json
  readonly description: string | null
}

export interface DatasetsTable extends Times {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly description: string | null
  readonly metadata: Json
  readonly input_schema: Json
  readonly expected_output_schema: Json
}

/** A version of an item: the one without `valid_to` is the newest. */
export interface DatasetItemsTable extends Times {
  readonly id: string
  readonly project_id: string
  readonly status: Generated<string>
  readonly input: Json
  readonly expected_output: Json
  readonly metadata: Json
  readonly source_trace_id: string | null
  readonly source_observation_id: string | null
  readonly dataset_id: string
  readonly valid_from: Generated<Date>
  readonly valid_to: Date | null
  readonly is_deleted: Generated<boolean>
}

export interface DatasetRunsTable extends Times {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly description: string | null
  readonly metadata: Json
  readonly dataset_id: string
}
