// Operations on dashboards (contract §18.10).
import { randomUUID } from 'node:crypto'
import * as dashboards from '@svc-server/api/dashboards/operations'
import { type DashboardPlacement, maxCell } from '@svc-server/api/dashboards/types'
import type { DashboardWidgetFilter } from '@svc-server/api/shared/types'
import { AppError } from '@svc-server/errors'
import {
  createDashboard,
  type Dashboard,
  deleteDashboard,
  getDashboard,
  listDashboards,
  type Placement,
  updateDashboard,
} from '@svc-server/relational/dashboards'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

const presets: readonly string[] = [
  ...['home-traces', 'home-model-costs', 'home-scores-table', 'home-traces-obs-time-series', 'home-model-usage', 'home-users'],
  ...['home-chart-scores', 'home-latency-table-traces', 'home-latency-table-generations', 'home-latency-table-observations'],
  ...['home-generation-latency', 'home-score-analytics'],
]

export const filtersView = (filters: readonly unknown[]) => filters as readonly z.output<typeof DashboardWidgetFilter>[]

const viewOf = ({ id, name, description, placements, filters, createdAt, updatedAt }: Dashboard) => ({
  ...{ id, name, description, definition: { widgets: placements }, filters: filtersView(filters) },
  ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
})

const none = (id: string) => new AppError('not_found', `Dashboard ${id.slice(0, 800)} not found`)
const noPlacement = (id: string) => new AppError('not_found', `Placement ${id.slice(0, 800)} not found`)

function requirePreset(placement: Placement): void {
  if (placement.type === 'preset' && !presets.includes(placement.presetId))
    throw new AppError('reference_missing', `Dashboard preset ${placement.presetId} not found`)
}

/** Throws InvalidBody for a duplicate id, and `reference_missing` for a widget that does not exist. */
function placementsOf(given: readonly z.output<typeof DashboardPlacement>[]): readonly Placement[] {
  const ids = given.map(({ id }) => id)
  for (const [at, placement] of given.entries()) {
    if (ids.indexOf(placement.id) < at)
      throw new InvalidBody(refused('A different placement has this id.', ['definition', 'widgets', at, 'id']))
    requirePreset(placement)
  }
  return given
}

export const list = handle(dashboards.list, async ({ project: { projectId }, query }, { relational }) =>
  reply(200, pageBody(query, await listDashboards(inProject(relational, projectId), query), viewOf)),
)

export const create = handle(dashboards.create, async ({ project, body }, deps) => {
  const { name, description, definition, filters } = body
  const given = { name, description: description ?? '', placements: placementsOf(definition?.widgets ?? []), filters: filters ?? [] }
  return reply(200, viewOf(await createDashboard(inProject(deps.relational, project.projectId), authorOf(project, deps), given)))
})

export const get = handle(dashboards.get, async ({ project: { projectId }, params: { dashboardId } }, { relational }) => {
  const dashboard = await getDashboard(inProject(relational, projectId), dashboardId)
  if (dashboard === undefined) throw none(dashboardId)
  return reply(200, viewOf(dashboard))
})

export const update = handle(dashboards.update, async ({ project, params: { dashboardId }, body }, deps) => {
  const { name, description, definition, filters } = body
  const change = {
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
    ...(definition && { placements: placementsOf(definition.widgets) }),
    ...(filters && { filters }),
  }
  if (Object.keys(change).length === 0) throw new InvalidBody(refused('The request must change at least one field.', []))
  const own = inProject(deps.relational, project.projectId)
  const dashboard = await updateDashboard(own, authorOf(project, deps), dashboardId, () => change)
  if (dashboard === undefined) throw none(dashboardId)
  return reply(200, viewOf(dashboard))
})

export const remove = handle(dashboards.remove, async ({ project, params: { dashboardId } }, deps) => {
  if (!(await deleteDashboard(inProject(deps.relational, project.projectId), authorOf(project, deps), dashboardId))) throw none(dashboardId)
  return reply(200, { message: 'Dashboard successfully deleted' })
})

const bottomOf = (placements: readonly Placement[]) => placements.reduce((bottom, { y, height }) => Math.max(bottom, y + height), 0)

export const addPlacement = handle(dashboards.addPlacement, async ({ project, params: { dashboardId }, body }, deps) => {
  const id = body.id ?? randomUUID()
  const { x, y, width, height } = body
  const own = inProject(deps.relational, project.projectId)
  const dashboard = await updateDashboard(own, authorOf(project, deps), dashboardId, ({ placements }) => {
    if (placements.some(each => each.id === id)) throw new AppError('conflict', `The dashboard already has a placement ${id}.`)
    const place = { id, x: x ?? 0, y: y ?? Math.min(bottomOf(placements), maxCell), width: width ?? 6, height: height ?? 6 }
    const added: Placement =
      body.type === 'widget'
        ? { type: body.type, widgetId: body.widgetId, ...place }
        : { type: body.type, presetId: body.presetId, ...place }
    requirePreset(added)
    return { placements: [...placements, added] }
  })
  if (dashboard === undefined) throw none(dashboardId)
  return reply(200, dashboard.placements.find(each => each.id === id)!)
})

export const updatePlacement = handle(dashboards.updatePlacement, async ({ project, params, body }, deps) => {
  const { dashboardId, placementId } = params
  const change = Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'number'))
  if (Object.keys(change).length === 0) throw new InvalidBody(refused('The request must change at least one field.', []))
  const own = inProject(deps.relational, project.projectId)
  const dashboard = await updateDashboard(own, authorOf(project, deps), dashboardId, ({ placements }) => {
    if (placements.every(({ id }) => id !== placementId)) throw noPlacement(placementId)
    return { placements: placements.map(each => (each.id === placementId ? { ...each, ...change } : each)) }
  })
  if (dashboard === undefined) throw none(dashboardId)
  return reply(200, dashboard.placements.find(each => each.id === placementId)!)
})

export const deletePlacement = handle(dashboards.deletePlacement, async ({ project, params }, deps) => {
  const { dashboardId, placementId } = params
  const own = inProject(deps.relational, project.projectId)
  const dashboard = await updateDashboard(own, authorOf(project, deps), dashboardId, ({ placements }) => {
    if (placements.every(({ id }) => id !== placementId)) throw noPlacement(placementId)
    return { placements: placements.filter(({ id }) => id !== placementId) }
  })
  if (dashboard === undefined) throw none(dashboardId)
  return reply(200, { message: 'Placement successfully deleted' })
})
