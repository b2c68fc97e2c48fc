// A widget defines which data of a metrics view it shows (contract §18.11).
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { type Author, userOf } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'
import { storableJson } from '../tenancy/json.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'
import { dashboardsTurn, isPlaced } from './repository.ts'

export interface NewWidget {
  readonly name: string
  readonly description: string
  /** The data that the widget shows, for example `observations` or `scores-numeric`. In rows of v3, the view can also be `traces`. */
  readonly view: string
  readonly dimensions: readonly unknown[]
  readonly metrics: readonly unknown[]
  readonly filters: readonly unknown[]
  readonly chartType: string
  readonly chartConfig: Readonly<Record<string, unknown>>
}

export interface Widget extends NewWidget {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

const viewOf = (row: RowOf<'dashboard_widgets'>): Widget => ({
  ...{ id: row.id, name: row.name, description: row.description, view: row.view.toLowerCase().replaceAll('_', '-') },
  dimensions: row.dimensions as readonly unknown[],
  metrics: row.metrics as readonly unknown[],
  filters: row.filters as readonly unknown[],
  ...{ chartType: row.chart_type, chartConfig: row.chart_config as Widget['chartConfig'] },
  ...{ createdAt: row.created_at, updatedAt: row.updated_at },
})

const columnsOf = ({ view, dimensions, metrics, filters, chartType, chartConfig, name, description }: NewWidget) => ({
  ...{ name, description, view: view.toUpperCase().replaceAll('-', '_'), chart_type: chartType },
  ...{ dimensions: storableJson(dimensions)!, metrics: storableJson(metrics)! },
  ...{ filters: storableJson(filters)!, chart_config: storableJson(chartConfig)! },
})

const resourceType = 'dashboardWidget'

export const createWidget = (project: InProject, by: Author, given: NewWidget): Promise<Widget> =>
  project.write<Widget>(by, async rows => {
    const user = userOf(by)
    const row = await rows
      .insert('dashboard_widgets', { id: randomUUID(), ...columnsOf(given), created_by: user, updated_by: user, ...timesAt(by.at) })
      .returningAll()
      .executeTakeFirstOrThrow()
    const value = viewOf(row)
    return { value, audit: [{ resourceType, resourceId: row.id, action: 'create', after: value }] }
  })

export async function getWidget(project: InProject, id: string): Promise<Widget | undefined> {
  const row = await project.find('dashboard_widgets', id)
  return row && viewOf(row)
}

/** Most recently changed first. */
export async function listWidgets(project: InProject, page: Page): Promise<PageOf<Widget>> {
  const query = project.select('dashboard_widgets').selectAll().orderBy('updated_at', 'desc').orderBy('id')
  return mapPage(await pageOf(query, page), viewOf)
}

/** `change` receives the current widget and returns the complete new widget. */
export const updateWidget = (
  project: InProject,
  by: Author,
  id: string,
  change: (widget: Widget) => NewWidget,
): Promise<Widget | undefined> =>
  project.writeInTurn<Widget | undefined>(
    by,
    async rows => {
      const found = await rows.find('dashboard_widgets', id)
      const before = found && viewOf(found)
      if (before === undefined) return { value: undefined, audit: [] }
      const set = { ...columnsOf(change(before)), updated_by: userOf(by), updated_at: by.at }
      const value = viewOf(await rows.update('dashboard_widgets').set(set).where('id', '=', id).returningAll().executeTakeFirstOrThrow())
      return { value, audit: [{ resourceType, resourceId: id, action: 'update', before, after: value }] }
    },
    `widget ${id}`,
  )

/** Throws `conflict` while a dashboard contains the widget. */
export const deleteWidget = (project: InProject, by: Author, id: string): Promise<boolean> =>
  project.writeInTurn<boolean>(
    by,
    async rows => {
      const found = await rows.find('dashboard_widgets', id)
      if (found === undefined) return { value: false, audit: [] }
      if (await isPlaced(rows, id))
        throw new AppError('conflict', 'A dashboard contains this widget. First remove the widget from the dashboard.')
      await rows.delete('dashboard_widgets').where('id', '=', id).execute()
      return { value: true, audit: [{ resourceType, resourceId: id, action: 'delete', before: viewOf(found) }] }
    },
    dashboardsTurn,
  )
