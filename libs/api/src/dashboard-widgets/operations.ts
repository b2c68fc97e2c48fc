import { z } from 'zod'
import { pageParameters } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  CreateDashboardWidgetRequest,
  DashboardWidget,
  DashboardWidgetList,
  DeleteDashboardWidgetResponse,
  UpdateDashboardWidgetRequest,
} from './types.ts'

export const list = operation({
  id: 'unstable.dashboardWidgets.list',
  method: 'GET',
  path: '/api/public/unstable/dashboard-widgets',
  auth: 'project',
  query: z.object({ ...pageParameters() }),
  responses: { 200: DashboardWidgetList },
  family: 'structured',
  summary: 'List dashboard widgets.',
})

export const create = operation({
  id: 'unstable.dashboardWidgets.create',
  method: 'POST',
  path: '/api/public/unstable/dashboard-widgets',
  auth: 'project',
  body: CreateDashboardWidgetRequest,
  responses: { 200: DashboardWidget },
  family: 'structured',
  summary: 'Create a dashboard widget.',
})

export const get = operation({
  id: 'unstable.dashboardWidgets.get',
  method: 'GET',
  path: '/api/public/unstable/dashboard-widgets/{widgetId}',
  auth: 'project',
  responses: { 200: DashboardWidget },
  family: 'structured',
  emptyRequest: true,
  summary: 'Get a dashboard widget.',
})

export const update = operation({
  id: 'unstable.dashboardWidgets.update',
  method: 'PATCH',
  path: '/api/public/unstable/dashboard-widgets/{widgetId}',
  auth: 'project',
  body: UpdateDashboardWidgetRequest,
  responses: { 200: DashboardWidget },
  family: 'structured',
  summary: 'Change a dashboard widget.',
})

export const remove = operation({
  id: 'unstable.dashboardWidgets.delete',
  method: 'DELETE',
  path: '/api/public/unstable/dashboard-widgets/{widgetId}',
  auth: 'project',
  responses: { 200: DeleteDashboardWidgetResponse },
  family: 'structured',
  emptyRequest: true,
  summary: 'Delete a dashboard widget.',
})
