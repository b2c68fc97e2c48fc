// Types of the wire of dashboards.
import { z } from 'zod'
import { listOf, responseTime, storedText } from '../fields/fields.ts'
import { DashboardWidgetFilter, MetaResponse } from '../shared/types.ts'

export const CreateDashboardPlacementRequest = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('widget'),
      id: storedText.nullish(),
      widgetId: storedText,
      x: z.int().nullish(),
      y: z.int().nullish(),
      width: z.int().nullish(),
      height: z.int().nullish(),
    }),
    z.object({
      type: z.literal('preset'),
      id: storedText.nullish(),
      presetId: storedText,
      x: z.int().nullish(),
      y: z.int().nullish(),
      width: z.int().nullish(),
      height: z.int().nullish(),
    }),
  ])
  .meta({ id: 'CreateDashboardPlacementRequest' })

export const DashboardPlacement = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('widget'),
      id: storedText,
      widgetId: storedText,
      x: z.int(),
      y: z.int(),
      width: z.int(),
      height: z.int(),
    }),
    z.object({
      type: z.literal('preset'),
      id: storedText,
      presetId: storedText,
      x: z.int(),
      y: z.int(),
      width: z.int(),
      height: z.int(),
    }),
  ])
  .meta({ id: 'DashboardPlacement' })

export const DashboardDefinition = z
  .object({
    widgets: listOf(DashboardPlacement),
  })
  .meta({ id: 'DashboardDefinition' })

export const CreateDashboardRequest = z
  .object({
    name: storedText,
    description: storedText.nullish(),
    definition: DashboardDefinition.nullish(),
    filters: listOf(DashboardWidgetFilter).nullish(),
  })
  .meta({ id: 'CreateDashboardRequest' })

export const Dashboard = z
  .object({
    id: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
    name: z.string(),
    description: z.string(),
    definition: DashboardDefinition,
    filters: z.array(DashboardWidgetFilter),
  })
  .meta({ id: 'Dashboard' })

export const DashboardList = z
  .object({
    data: z.array(Dashboard),
    meta: MetaResponse,
  })
  .meta({ id: 'DashboardList' })

export const DeleteDashboardPlacementResponse = z
  .object({
    message: z.string(),
  })
  .meta({ id: 'DeleteDashboardPlacementResponse' })

export const DeleteDashboardResponse = z
  .object({
    message: z.string(),
  })
  .meta({ id: 'DeleteDashboardResponse' })

export const UpdateDashboardPlacementRequest = z
  .object({
    x: z.int().nullish(),
    y: z.int().nullish(),
    width: z.int().nullish(),
    height: z.int().nullish(),
  })
  .meta({ id: 'UpdateDashboardPlacementRequest' })

export const UpdateDashboardRequest = z
  .object({
    name: storedText.nullish(),
    description: storedText.nullish(),
    definition: DashboardDefinition.nullish(),
    filters: listOf(DashboardWidgetFilter).nullish(),
  })
  .meta({ id: 'UpdateDashboardRequest' })
