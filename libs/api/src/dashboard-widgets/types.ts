import { z } from 'zod'
import { listOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import { DashboardWidgetFilter, MetaResponse } from '../shared/types.ts'

export const DashboardWidgetChartType = z
  .enum([
    'LINE_TIME_SERIES',
    'AREA_TIME_SERIES',
    'BAR_TIME_SERIES',
    'HORIZONTAL_BAR',
    'VERTICAL_BAR',
    'PIE',
    'NUMBER',
    'HISTOGRAM',
    'PIVOT_TABLE',
  ])
  .meta({ id: 'DashboardWidgetChartType' })

export const DashboardWidgetSortOrder = z.enum(['ASC', 'DESC']).meta({ id: 'DashboardWidgetSortOrder' })

export const DashboardWidgetDefaultSort = z
  .object({
    column: storedText,
    order: DashboardWidgetSortOrder,
  })
  .meta({ id: 'DashboardWidgetDefaultSort' })

export const DashboardWidgetChartConfigInput = z
  .object({
    type: DashboardWidgetChartType.nullish(),
    row_limit: z.int().min(1).max(1_000).nullish(),
    show_value_labels: z.boolean().nullish(),
    bins: z.int().min(1).max(100).nullish(),
    defaultSort: DashboardWidgetDefaultSort.nullish(),
  })
  .meta({ id: 'DashboardWidgetChartConfigInput' })

export const DashboardWidgetDimension = z
  .object({
    field: storedText,
  })
  .meta({ id: 'DashboardWidgetDimension' })

export const DashboardWidgetMetricAggregation = z
  .enum(['sum', 'avg', 'count', 'max', 'min', 'p50', 'p75', 'p90', 'p95', 'p99', 'histogram', 'uniq'])
  .meta({ id: 'DashboardWidgetMetricAggregation' })

export const DashboardWidgetMetric = z
  .object({
    measure: storedText,
    agg: DashboardWidgetMetricAggregation,
  })
  .meta({ id: 'DashboardWidgetMetric' })

export const DashboardWidgetView = z
  .enum(['observations', 'scores-numeric', 'scores-boolean', 'scores-categorical'])
  .meta({ id: 'DashboardWidgetView' })

export const CreateDashboardWidgetRequest = z
  .object({
    name: storedName(255),
    description: storedText.nullish(),
    view: DashboardWidgetView,
    dimensions: listOf(DashboardWidgetDimension, { max: 2, message: 'Expected at most 2 dimensions.' }),
    metrics: listOf(DashboardWidgetMetric, { min: 1, max: 10, message: 'Expected 1 to 10 metrics.' }),
    filters: listOf(DashboardWidgetFilter, { max: 100 }),
    chartType: DashboardWidgetChartType,
    chartConfig: DashboardWidgetChartConfigInput.nullish(),
  })
  .meta({ id: 'CreateDashboardWidgetRequest' })

export const DashboardWidgetChartConfig = z
  .object({
    type: DashboardWidgetChartType,
    row_limit: z.int().optional(),
    show_value_labels: z.boolean().optional(),
    bins: z.int().optional(),
    defaultSort: DashboardWidgetDefaultSort.optional(),
  })
  .meta({ id: 'DashboardWidgetChartConfig' })

export const DashboardWidgetViewWithLegacy = z
  .enum(['observations', 'scores-numeric', 'scores-boolean', 'scores-categorical', 'traces'])
  .meta({ id: 'DashboardWidgetViewWithLegacy' })

export const DashboardWidget = z
  .object({
    id: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
    name: z.string(),
    description: z.string(),
    view: DashboardWidgetViewWithLegacy,
    dimensions: z.array(DashboardWidgetDimension),
    metrics: z.array(DashboardWidgetMetric),
    filters: z.array(DashboardWidgetFilter),
    chartType: DashboardWidgetChartType,
    chartConfig: DashboardWidgetChartConfig,
  })
  .meta({ id: 'DashboardWidget' })

export const DashboardWidgetList = z
  .object({
    data: z.array(DashboardWidget),
    meta: MetaResponse,
  })
  .meta({ id: 'DashboardWidgetList' })

export const DeleteDashboardWidgetResponse = z
  .object({
    message: z.string(),
  })
  .meta({ id: 'DeleteDashboardWidgetResponse' })

export const UpdateDashboardWidgetRequest = z
  .object({
    name: storedName(255).nullish(),
    description: storedText.nullish(),
    view: DashboardWidgetView.nullish(),
    dimensions: listOf(DashboardWidgetDimension, { max: 2, message: 'Expected at most 2 dimensions.' }).nullish(),
    metrics: listOf(DashboardWidgetMetric, { min: 1, max: 10, message: 'Expected 1 to 10 metrics.' }).nullish(),
    filters: listOf(DashboardWidgetFilter, { max: 100 }).nullish(),
    chartType: DashboardWidgetChartType.nullish(),
    chartConfig: DashboardWidgetChartConfigInput.nullish(),
  })
  .meta({ id: 'UpdateDashboardWidgetRequest' })
