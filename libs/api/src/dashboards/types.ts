import { z } from 'zod'
import { listOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import { DashboardWidgetFilter, MetaResponse } from '../shared/types.ts'

/** Highest column or row number in the grid. */
export const maxCell = 100_000
const from = (min: number) => z.int().min(min).max(maxCell)

export const CreateDashboardPlacementRequest = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('widget'),
      id: storedName(100).nullish(),
      widgetId: storedName(800),
      x: from(0).nullish(),
      y: from(0).nullish(),
      width: from(1).nullish(),
      height: from(1).nullish(),
    }),
    z.strictObject({
      type: z.literal('preset'),
      id: storedName(100).nullish(),
      presetId: storedName(100),
      x: from(0).nullish(),
      y: from(0).nullish(),
      width: from(1).nullish(),
      height: from(1).nullish(),
    }),
  ])
  .meta({ id: 'CreateDashboardPlacementRequest' })

export const DashboardPlacement = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('widget'),
      id: storedName(100),
      widgetId: storedName(800),
      x: from(0),
      y: from(0),
      width: from(1),
      height: from(1),
    }),
    z.strictObject({
      type: z.literal('preset'),
      id: storedName(100),
      presetId: storedName(100),
      x: from(0),
      y: from(0),
      width: from(1),
      height: from(1),
    }),
  ])
  .meta({ id: 'DashboardPlacement' })

export const DashboardDefinition = z
  .object({
    widgets: listOf(DashboardPlacement, { max: 500 }),
  })
  .meta({ id: 'DashboardDefinition' })

export const CreateDashboardRequest = z
  .object({
    name: storedName(255),
    description: storedText.nullish(),
    definition: DashboardDefinition.nullish(),
    filters: listOf(DashboardWidgetFilter, { max: 100 }).nullish(),
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
    x: from(0).nullish(),
    y: from(0).nullish(),
    width: from(1).nullish(),
    height: from(1).nullish(),
  })
  .meta({ id: 'UpdateDashboardPlacementRequest' })

export const UpdateDashboardRequest = z
  .object({
    name: storedName(255).nullish(),
    description: storedText.nullish(),
    definition: DashboardDefinition.nullish(),
    filters: listOf(DashboardWidgetFilter, { max: 100 }).nullish(),
  })
  .meta({ id: 'UpdateDashboardRequest' })
