// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'
import type { DashboardWidgetFilter } from './unstable-commons.ts'

export interface CreateWidgetPlacement {
  id?: string | undefined
  widgetId: string
  x?: number | undefined
  y?: number | undefined
  width?: number | undefined
  height?: number | undefined
}

export interface CreatePresetPlacement {
  id?: string | undefined
  presetId: string
  x?: number | undefined
  y?: number | undefined
  width?: number | undefined
  height?: number | undefined
}

export type CreateDashboardPlacementRequest =
  | ({ type: 'widget' } & CreateWidgetPlacement)
  | ({ type: 'preset' } & CreatePresetPlacement)

export interface CreateDashboardRequest {
  name: string
  description?: string | undefined
  definition?: DashboardDefinition | undefined
  filters?: DashboardWidgetFilter[] | undefined
}

export interface Dashboard {
  id: string
  createdAt: string
  updatedAt: string
  name: string
  description: string
  definition: DashboardDefinition
  filters: DashboardWidgetFilter[]
}

export interface DashboardDefinition {
  widgets: DashboardPlacement[]
}

export interface DashboardList {
  data: Dashboard[]
  meta: MetaResponse
}

export interface WidgetPlacement {
  id: string
  widgetId: string
  x: number
  y: number
  width: number
  height: number
}

export interface PresetPlacement {
  id: string
  presetId: string
  x: number
  y: number
  width: number
  height: number
}

export type DashboardPlacement =
  | ({ type: 'widget' } & WidgetPlacement)
  | ({ type: 'preset' } & PresetPlacement)

export interface DeleteDashboardPlacementResponse {
  message: string
}

export interface DeleteDashboardResponse {
  message: string
}

export interface ListDashboardsRequest {
  page?: number | undefined
  limit?: number | undefined
}

export interface UpdateDashboardPlacementRequest {
  x?: number | undefined
  y?: number | undefined
  width?: number | undefined
  height?: number | undefined
}

export interface UpdateDashboardRequest {
  name?: string | undefined
  description?: string | undefined
  definition?: DashboardDefinition | undefined
  filters?: DashboardWidgetFilter[] | undefined
}
