import { z } from 'zod'
import { pageParameters } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  CreateDashboardPlacementRequest,
  CreateDashboardRequest,
  Dashboard,
  DashboardList,
  DashboardPlacement,
  DeleteDashboardPlacementResponse,
  DeleteDashboardResponse,
  UpdateDashboardPlacementRequest,
  UpdateDashboardRequest,
} from './types.ts'

export const list = operation({
  id: 'unstable.dashboards.list',
  method: 'GET',
  path: '/api/public/unstable/dashboards',
  auth: 'project',
  query: z.object({ ...pageParameters() }),
  responses: { 200: DashboardList },
  family: 'structured',
  summary: 'List dashboards.',
})

export const create = operation({
  id: 'unstable.dashboards.create',
  method: 'POST',
  path: '/api/public/unstable/dashboards',
  auth: 'project',
  body: CreateDashboardRequest,
  responses: { 200: Dashboard },
  family: 'structured',
  summary: 'Create a dashboard.',
})

export const get = operation({
  id: 'unstable.dashboards.get',
  method: 'GET',
  path: '/api/public/unstable/dashboards/{dashboardId}',
  auth: 'project',
  responses: { 200: Dashboard },
  family: 'structured',
  emptyRequest: true,
  summary: 'Get a dashboard.',
})

export const update = operation({
  id: 'unstable.dashboards.update',
  method: 'PATCH',
  path: '/api/public/unstable/dashboards/{dashboardId}',
  auth: 'project',
  body: UpdateDashboardRequest,
  responses: { 200: Dashboard },
  family: 'structured',
  summary: 'Change a dashboard.',
})

export const remove = operation({
  id: 'unstable.dashboards.delete',
  method: 'DELETE',
  path: '/api/public/unstable/dashboards/{dashboardId}',
  auth: 'project',
  responses: { 200: DeleteDashboardResponse },
  family: 'structured',
  emptyRequest: true,
  summary: 'Delete a dashboard.',
})

export const addPlacement = operation({
  id: 'unstable.dashboards.addPlacement',
  method: 'POST',
  path: '/api/public/unstable/dashboards/{dashboardId}/placements',
  auth: 'project',
  body: CreateDashboardPlacementRequest,
  responses: { 200: DashboardPlacement },
  family: 'structured',
  summary: 'Place a widget on a dashboard.',
})

export const updatePlacement = operation({
  id: 'unstable.dashboards.updatePlacement',
  method: 'PATCH',
  path: '/api/public/unstable/dashboards/{dashboardId}/placements/{placementId}',
  auth: 'project',
  body: UpdateDashboardPlacementRequest,
  responses: { 200: DashboardPlacement },
  family: 'structured',
  summary: 'Move or resize a placement.',
})

export const deletePlacement = operation({
  id: 'unstable.dashboards.deletePlacement',
  method: 'DELETE',
  path: '/api/public/unstable/dashboards/{dashboardId}/placements/{placementId}',
  auth: 'project',
  responses: { 200: DeleteDashboardPlacementResponse },
  family: 'structured',
  emptyRequest: true,
  summary: 'Remove a placement from a dashboard.',
})
