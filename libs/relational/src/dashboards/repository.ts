// A dashboard contains the positions of its widgets (contract §18.10). Managed dashboards do not belong to a project.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { type Author, userOf } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableJson } from '../tenancy/json.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

interface Place {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export type Placement = Place &
  ({ readonly type: 'widget'; readonly widgetId: string } | { readonly type: 'preset'; readonly presetId: string })

export interface NewDashboard {
  readonly name: string
  readonly description: string
  readonly placements: readonly Placement[]
  readonly filters: readonly unknown[]
}

export interface Dashboard extends NewDashboard {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A placement in the form that v3 stores. */
interface StoredPlacement extends Omit<Place, 'width' | 'height'> {
  readonly type: string
  readonly widgetId?: string
  readonly presetId?: string
  readonly x_size: number
  readonly y_size: number
}

function readPlacement({ type, widgetId, presetId, id, x, y, x_size, y_size }: StoredPlacement): Placement {
  const place = { id, x, y, width: x_size, height: y_size }
  return type === 'preset' ? { type, presetId: presetId ?? '', ...place } : { type: 'widget', widgetId: widgetId ?? '', ...place }
}

const storedPlacement = ({ width, height, ...placement }: Placement) => ({ ...placement, x_size: width, y_size: height })
const definitionOf = (placements: readonly Placement[]) => storableJson({ widgets: placements.map(storedPlacement) })!

function viewOf(row: RowOf<'dashboards'>): Dashboard {
  const { widgets = [] } = Object(row.definition) as { readonly widgets?: readonly StoredPlacement[] }
  return {
    ...{ id: row.id, name: row.name, description: row.description, placements: widgets.map(readPlacement) },
    ...{ filters: row.filters as readonly unknown[], createdAt: row.created_at, updatedAt: row.updated_at },
  }
}

const resourceType = 'dashboard'
/**
 * `createDashboard`, `updateDashboard` and `deleteWidget` pass this name to `writeInTurn`. In a project, these writes therefore run one
 * after the other, so that no dashboard contains a deleted widget.
 */
export const dashboardsTurn = 'dashboards'

/**
 * Returns the ids of v3's managed widgets. These ids never change. Call this function before a transaction begins, because a transaction
 * can read only the project's own rows.
 */
async function managedWidgets(project: InProject): Promise<ReadonlySet<string>> {
  const rows = await project.selectShared('dashboard_widgets').select('id').where('project_id', 'is', null).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Throws `reference_missing` for a widget that is neither managed nor the project's own. */
async function requireWidgets(rows: ProjectRows, placements: readonly Placement[], managed: ReadonlySet<string>): Promise<void> {
  const ids = placements.flatMap(each => (each.type === 'widget' && !managed.has(each.widgetId) ? [each.widgetId] : []))
  const possible = ids.filter(canBeId)
  const query = rows.select('dashboard_widgets').select('id')
  const found = possible.length === 0 ? [] : await query.where('id', 'in', possible).execute()
  const missing = ids.find(id => found.every(row => row.id !== id))
  if (missing === undefined) return
  throw new AppError('reference_missing', `Dashboard widget ${missing.slice(0, 80)} not found`, { table: 'dashboard_widgets' })
}

/** Throws `reference_missing` for a widget that does not exist. */
export async function createDashboard(
  project: InProject,
  by: Author,
  { name, description, placements, filters }: NewDashboard,
): Promise<Dashboard> {
  const managed = await managedWidgets(project)
  return project.writeInTurn<Dashboard>(
    by,
    async rows => {
      await requireWidgets(rows, placements, managed)
      const user = userOf(by)
      const row = await rows
        .insert('dashboards', {
          ...{ id: randomUUID(), name, description, definition: definitionOf(placements), filters: storableJson(filters)! },
          ...{ created_by: user, updated_by: user, ...timesAt(by.at) },
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const value = viewOf(row)
      return { value, audit: [{ resourceType, resourceId: row.id, action: 'create', after: value }] }
    },
    dashboardsTurn,
  )
}

export async function getDashboard(project: InProject, id: string): Promise<Dashboard | undefined> {
  const row = await project.find('dashboards', id)
  return row && viewOf(row)
}

/** Most recently changed first. */
export async function listDashboards(project: InProject, page: Page): Promise<PageOf<Dashboard>> {
  const query = project.select('dashboards').selectAll().orderBy('updated_at', 'desc').orderBy('id')
  return mapPage(await pageOf(query, page), viewOf)
}

/** `change` receives the current dashboard and returns the changes. Throws `reference_missing` for a widget that does not exist. */
export async function updateDashboard(
  project: InProject,
  by: Author,
  id: string,
  change: (dashboard: Dashboard) => Partial<NewDashboard>,
): Promise<Dashboard | undefined> {
  const managed = await managedWidgets(project)
  return project.writeInTurn<Dashboard | undefined>(
    by,
    async rows => {
      const found = await rows.find('dashboards', id)
      const before = found && viewOf(found)
      if (before === undefined) return { value: undefined, audit: [] }
      const { placements, filters, ...texts } = change(before)
      // Widgets that the dashboard already contains are not checked, because v3 may have deleted one of these widgets.
      const known = new Set(before.placements.map(placement => (placement.type === 'widget' ? placement.widgetId : '')))
      if (placements !== undefined) await requireWidgets(rows, placements, new Set([...managed, ...known]))
      const set = {
        ...texts,
        ...(placements !== undefined && { definition: definitionOf(placements) }),
        ...(filters !== undefined && { filters: storableJson(filters)! }),
        ...{ updated_by: userOf(by), updated_at: by.at },
      }
      const row = await rows.update('dashboards').set(set).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
      const value = viewOf(row)
      return { value, audit: [{ resourceType, resourceId: id, action: 'update', before, after: value }] }
    },
    dashboardsTurn,
  )
}

export const deleteDashboard = (project: InProject, by: Author, id: string): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    if (!canBeId(id)) return { value: false, audit: [] }
    const row = await rows.delete('dashboards').where('id', '=', id).returningAll().executeTakeFirst()
    if (row === undefined) return { value: false, audit: [] }
    return { value: true, audit: [{ resourceType, resourceId: id, action: 'delete', before: viewOf(row) }] }
  })

export async function isPlaced(rows: ProjectRows, widgetId: string): Promise<boolean> {
  const found = await rows.select('dashboards').selectAll().execute()
  return found.some(row => viewOf(row).placements.some(each => each.type === 'widget' && each.widgetId === widgetId))
}
