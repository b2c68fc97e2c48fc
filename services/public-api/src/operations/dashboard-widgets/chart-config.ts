// Options of a chart, by its type (contract §18.11).
import type { DashboardWidgetChartConfig, DashboardWidgetChartConfigInput } from '@svc-server/api/dashboard-widgets/types'
import type { z } from 'zod'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

type ChartConfig = z.output<typeof DashboardWidgetChartConfig>
type Given = z.output<typeof DashboardWidgetChartConfigInput>

const rows = ['row_limit'] as const
const taken: Readonly<Record<ChartConfig['type'], readonly (keyof ChartConfig)[]>> = {
  LINE_TIME_SERIES: [],
  AREA_TIME_SERIES: [],
  BAR_TIME_SERIES: [],
  HORIZONTAL_BAR: [...rows, 'show_value_labels'],
  VERTICAL_BAR: rows,
  PIE: rows,
  NUMBER: rows,
  HISTOGRAM: [...rows, 'bins'],
  PIVOT_TABLE: [...rows, 'defaultSort'],
}

/** Throws InvalidBody for options that charts of this type do not have. */
export function chartConfigOf(chartType: ChartConfig['type'], given: Given): ChartConfig {
  const { type, ...rest } = given
  const refuse = (field: string, allowedValues: readonly string[]) =>
    new InvalidBody(refused(`A chart of the type ${chartType} does not have this field.`, ['chartConfig', field]), 'body', {
      field: 'chartConfig',
      allowedValues,
    })
  if (type !== undefined && type !== null && type !== chartType) throw refuse('type', [chartType])
  const told = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)
  const wrong = told.find(([name]) => !(taken[chartType] as readonly string[]).includes(name))
  if (wrong !== undefined) throw refuse(wrong[0], ['type', ...taken[chartType]])
  return { type: chartType, ...(chartType === 'HISTOGRAM' && { bins: 10 }), ...(Object.fromEntries(told) as Partial<ChartConfig>) }
}
