// Widgets of dashboards (contract §18.11).
import * as widgets from '@svc-server/api/dashboard-widgets/operations'
import type { DashboardWidget } from '@svc-server/api/dashboard-widgets/types'
import { AppError } from '@svc-server/errors'
import { widgetProblem } from '@svc-server/query/metrics'
import {
  createWidget,
  deleteWidget,
  getWidget,
  listWidgets,
  type NewWidget,
  updateWidget,
  type Widget,
} from '@svc-server/relational/dashboard-widgets'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { chartConfigOf } from './chart-config.ts'

type Wire = z.input<typeof DashboardWidget>

const viewOf = ({ createdAt, updatedAt, ...widget }: Widget): Wire => ({
  ...(widget as unknown as Omit<Wire, 'createdAt' | 'updatedAt'>),
  ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
})

const none = (id: string) => new AppError('not_found', `Dashboard widget ${id.slice(0, 800)} not found`)

/** Throws InvalidBody for a name that the view does not have, and InvalidQuery for an invalid filter. */
function checked(widget: NewWidget): NewWidget {
  const { view, dimensions, metrics, filters, chartType } = widget as unknown as Pick<
    Wire,
    'view' | 'dimensions' | 'metrics' | 'filters' | 'chartType'
  >
  if (dimensions.length > 1 && chartType !== 'PIVOT_TABLE')
    throw new InvalidBody(refused('Only a PIVOT_TABLE can have two dimensions.', ['dimensions']), 'body', { field: 'dimensions' })
  const problem = widgetProblem({ view, dimensions, metrics, filters })
  if (problem === undefined) return widget
  const { field, value, allowedValues } = problem
  throw new InvalidBody(refused(`The view ${view} does not have ${value.slice(0, 100)}.`, [field]), 'body', {
    field,
    value: value.slice(0, 100),
    allowedValues,
  })
}

export const list = handle(widgets.list, async ({ project: { projectId }, query }, { relational }) =>
  reply(200, pageBody(query, await listWidgets(inProject(relational, projectId), query), viewOf)),
)

export const create = handle(widgets.create, async ({ project, body }, deps) => {
  const given = checked({
    ...body,
    description: body.description ?? '',
    chartConfig: chartConfigOf(body.chartType, body.chartConfig ?? {}),
  })
  return reply(200, viewOf(await createWidget(inProject(deps.relational, project.projectId), authorOf(project, deps), given)))
})

export const get = handle(widgets.get, async ({ project: { projectId }, params: { widgetId } }, { relational }) => {
  const widget = await getWidget(inProject(relational, projectId), widgetId)
  if (widget === undefined) throw none(widgetId)
  return reply(200, viewOf(widget))
})

export const update = handle(widgets.update, async ({ project, params: { widgetId }, body }, deps) => {
  const { chartConfig, ...rest } = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== undefined),
  ) as typeof body
  if (chartConfig === undefined && Object.keys(rest).length === 0)
    throw new InvalidBody(refused('The request must change at least one field.', []))
  const widget = await updateWidget(inProject(deps.relational, project.projectId), authorOf(project, deps), widgetId, before => {
    const merged = { ...before, ...rest } as NewWidget
    const chartType = merged.chartType as Wire['chartType']
    // A request that changes the chart's type and sends no options removes the previous options.
    const told = chartConfig ?? (chartType === before.chartType ? before.chartConfig : {})
    return checked({ ...merged, chartConfig: chartConfigOf(chartType, told) })
  })
  if (widget === undefined) throw none(widgetId)
  return reply(200, viewOf(widget))
})

export const remove = handle(widgets.remove, async ({ project, params: { widgetId } }, deps) => {
  if (!(await deleteWidget(inProject(deps.relational, project.projectId), authorOf(project, deps), widgetId))) throw none(widgetId)
  return reply(200, { message: 'Dashboard widget successfully deleted' })
})
