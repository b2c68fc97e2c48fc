// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'
import type { DashboardWidgetFilter } from './unstable-commons.ts'

export interface CreateDashboardWidgetRequest {
  name: string
  description?: string | undefined
  view: DashboardWidgetView
  dimensions: DashboardWidgetDimension[]
  metrics: DashboardWidgetMetric[]
  filters: DashboardWidgetFilter[]
  chartType: DashboardWidgetChartType
  chartConfig?: DashboardWidgetChartConfigInput | undefined
}

export interface DashboardWidget {
  id: string
  createdAt: string
  updatedAt: string
  name: string
  description: string
  view: DashboardWidgetViewWithLegacy
  dimensions: DashboardWidgetDimension[]
  metrics: DashboardWidgetMetric[]
  filters: DashboardWidgetFilter[]
  chartType: DashboardWidgetChartType
  chartConfig: DashboardWidgetChartConfig
}

export interface DashboardWidgetChartConfig {
  type: DashboardWidgetChartType
  row_limit?: number | undefined
  show_value_labels?: boolean | undefined
  bins?: number | undefined
  defaultSort?: DashboardWidgetDefaultSort | undefined
}

export interface DashboardWidgetChartConfigInput {
  type?: DashboardWidgetChartType | undefined
  row_limit?: number | undefined
  show_value_labels?: boolean | undefined
  bins?: number | undefined
  defaultSort?: DashboardWidgetDefaultSort | undefined
}

export const DashboardWidgetChartType = {
  LineTimeSeries: 'LINE_TIME_SERIES',
  AreaTimeSeries: 'AREA_TIME_SERIES',
  BarTimeSeries: 'BAR_TIME_SERIES',
  HorizontalBar: 'HORIZONTAL_BAR',
  VerticalBar: 'VERTICAL_BAR',
  Pie: 'PIE',
  Number: 'NUMBER',
  Histogram: 'HISTOGRAM',
  PivotTable: 'PIVOT_TABLE',
} as const
export type DashboardWidgetChartType = (typeof DashboardWidgetChartType)[keyof typeof DashboardWidgetChartType]

export interface DashboardWidgetDefaultSort {
  column: string
  order: DashboardWidgetSortOrder
}

export interface DashboardWidgetDimension {
  field: string
}

export interface DashboardWidgetList {
  data: DashboardWidget[]
  meta: MetaResponse
}

export interface DashboardWidgetMetric {
  measure: string
  agg: DashboardWidgetMetricAggregation
}

export const DashboardWidgetMetricAggregation = {
  Sum: 'sum',
  Avg: 'avg',
  Count: 'count',
  Max: 'max',
  Min: 'min',
  P50: 'p50',
  P75: 'p75',
  P90: 'p90',
  P95: 'p95',
  P99: 'p99',
  Histogram: 'histogram',
  Uniq: 'uniq',
} as const
export type DashboardWidgetMetricAggregation = (typeof DashboardWidgetMetricAggregation)[keyof typeof DashboardWidgetMetricAggregation]

export const DashboardWidgetSortOrder = {
  Asc: 'ASC',
  Desc: 'DESC',
} as const
export type DashboardWidgetSortOrder = (typeof DashboardWidgetSortOrder)[keyof typeof DashboardWidgetSortOrder]

export const DashboardWidgetView = {
  Observations: 'observations',
  ScoresNumeric: 'scores-numeric',
  ScoresBoolean: 'scores-boolean',
  ScoresCategorical: 'scores-categorical',
} as const
export type DashboardWidgetView = (typeof DashboardWidgetView)[keyof typeof DashboardWidgetView]

export const DashboardWidgetViewWithLegacy = {
  Observations: 'observations',
  ScoresNumeric: 'scores-numeric',
  ScoresBoolean: 'scores-boolean',
  ScoresCategorical: 'scores-categorical',
  Traces: 'traces',
} as const
export type DashboardWidgetViewWithLegacy = (typeof DashboardWidgetViewWithLegacy)[keyof typeof DashboardWidgetViewWithLegacy]

export interface DeleteDashboardWidgetResponse {
  message: string
}

export interface ListDashboardWidgetsRequest {
  page?: number | undefined
  limit?: number | undefined
}

export interface UpdateDashboardWidgetRequest {
  name?: string | undefined
  description?: string | undefined
  view?: DashboardWidgetView | undefined
  dimensions?: DashboardWidgetDimension[] | undefined
  metrics?: DashboardWidgetMetric[] | undefined
  filters?: DashboardWidgetFilter[] | undefined
  chartType?: DashboardWidgetChartType | undefined
  chartConfig?: DashboardWidgetChartConfigInput | undefined
}
