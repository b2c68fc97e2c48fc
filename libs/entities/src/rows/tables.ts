// The members of a row have the names of the table's columns. If a row lacks a column, the column store uses the column's default. Times
// count from the epoch, in milliseconds in the v3 tables, and in microseconds in the events tables. The unit of money is 1e-12 USD.
import type { RunItemCells } from '@svc-server/observations/run-item'
import type { Units } from '@svc-server/pricing/amounts'

type TextPairs = readonly (readonly [name: string, value: string])[]
export type AmountPairs = readonly (readonly [name: string, units: Units])[]
export type Flag = 0 | 1

interface Versioned {
  readonly created_at: number
  readonly updated_at: number
  readonly event_ts: number
  readonly is_deleted: Flag
}

export interface TraceRow extends Versioned {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly environment: string
  readonly timestamp: number
  readonly user_id: string | null
  readonly session_id: string | null
  readonly release: string | null
  readonly version: string | null
  readonly metadata: TextPairs
  readonly public: Flag
  readonly bookmarked: Flag
  readonly tags: readonly string[]
  readonly input: string | null
  readonly output: string | null
}

/** These columns are the same in the v3 table and in events_full. */
export interface UsageColumns {
  readonly provided_usage_details: AmountPairs
  readonly usage_details: AmountPairs
  readonly provided_cost_details: AmountPairs
  readonly cost_details: AmountPairs
  readonly usage_pricing_tier_id: string | null
  readonly usage_pricing_tier_name: string | null
}

export interface ToolColumns {
  readonly tool_definitions: TextPairs
  readonly tool_calls: readonly string[]
  readonly tool_call_names: readonly string[]
}

export interface ObservationRow extends Versioned, UsageColumns, ToolColumns {
  readonly id: string
  readonly trace_id: string
  readonly project_id: string
  readonly name: string
  readonly type: string
  readonly level: string
  readonly environment: string
  readonly parent_observation_id: string | null
  readonly status_message: string | null
  readonly version: string | null
  readonly provided_model_name: string | null
  readonly internal_model_id: string | null
  readonly model_parameters: string | null
  readonly prompt_id: string | null
  readonly prompt_name: string | null
  readonly prompt_version: number | null
  readonly start_time: number
  readonly end_time: number | null
  readonly completion_start_time: number | null
  readonly metadata: TextPairs
  readonly input: string | null
  readonly output: string | null
  readonly total_cost: Units | null
}

export interface EventRow extends Partial<RunItemCells>, Versioned, UsageColumns, ToolColumns {
  readonly project_id: string
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id: string
  readonly start_time: number
  readonly end_time: number | null
  readonly name: string
  readonly type: string
  readonly environment: string
  readonly version: string
  readonly release: string
  readonly trace_name: string
  readonly user_id: string
  readonly session_id: string
  readonly tags: readonly string[]
  readonly level: string
  readonly status_message: string
  readonly completion_start_time: number | null
  readonly bookmarked: Flag
  readonly public: Flag
  readonly prompt_id: string
  readonly prompt_name: string
  readonly prompt_version: number | null
  readonly model_id: string
  readonly provided_model_name: string
  readonly model_parameters: string
  readonly input: string
  readonly output: string
  readonly metadata_names: readonly string[]
  readonly metadata_values: readonly string[]
  readonly metadata_types: readonly number[]
  readonly source: string
  readonly ingestion_api_key: string
  readonly ingestion_sdk_name: string
  readonly ingestion_sdk_version: string
}

export const flag = (value: boolean): Flag => (value ? 1 : 0)

export const noUsage: UsageColumns = {
  provided_usage_details: [],
  usage_details: [],
  provided_cost_details: [],
  cost_details: [],
  usage_pricing_tier_id: null,
  usage_pricing_tier_name: null,
}

export const noTools: ToolColumns = { tool_definitions: [], tool_calls: [], tool_call_names: [] }
