// The configuration and the progress of exports to buckets (contract §19.6). Secrets arrive encrypted and appear in no audit entry.
import type { Author } from '../tenancy/audit.ts'
import { type InProject, inProject, instance, type Store } from '../tenancy/handles.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface IntegrationSettings {
  readonly type: string
  readonly bucketName: string
  readonly prefix: string
  readonly accessKeyId: string | null
  readonly region: string
  readonly endpoint: string | null
  readonly forcePathStyle: boolean
  readonly enabled: boolean
  readonly exportFrequency: string
  readonly fileType: string
  readonly exportMode: string
  readonly exportStartDate: Date | null
  /** TRACES_OBSERVATIONS, EVENTS, or TRACES_OBSERVATIONS_EVENTS. */
  readonly exportSource: string
  readonly exportFieldGroups: readonly string[]
  readonly compressed: boolean
}

export interface Integration extends IntegrationSettings {
  readonly projectId: string
  readonly hasSecret: boolean
  readonly nextSyncAt: Date | null
  readonly lastSyncAt: Date | null
  readonly runStartedAt: Date | null
  readonly lastError: string | null
  readonly lastErrorAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

const viewOf = (row: RowOf<'blob_storage_integrations'>): Integration => ({
  ...{ projectId: row.project_id, type: row.type, bucketName: row.bucket_name, prefix: row.prefix, accessKeyId: row.access_key_id },
  ...{ hasSecret: row.secret_access_key !== null, region: row.region, endpoint: row.endpoint, forcePathStyle: row.force_path_style },
  ...{ enabled: row.enabled, exportFrequency: row.export_frequency, fileType: row.file_type, exportMode: row.export_mode },
  ...{ exportStartDate: row.export_start_date, exportSource: row.export_source, exportFieldGroups: row.export_field_groups },
  ...{ compressed: row.compressed, nextSyncAt: row.next_sync_at, lastSyncAt: row.last_sync_at, runStartedAt: row.run_started_at },
  ...{ lastError: row.last_error, lastErrorAt: row.last_error_at, createdAt: row.created_at, updatedAt: row.updated_at },
})

const columnsOf = (settings: IntegrationSettings) => ({
  ...{ type: settings.type, bucket_name: settings.bucketName, prefix: settings.prefix, access_key_id: settings.accessKeyId },
  ...{ region: settings.region, endpoint: settings.endpoint, force_path_style: settings.forcePathStyle, enabled: settings.enabled },
  ...{ export_frequency: settings.exportFrequency, file_type: settings.fileType, export_mode: settings.exportMode },
  ...{ export_start_date: settings.exportStartDate, export_source: settings.exportSource, compressed: settings.compressed },
  export_field_groups: [...settings.exportFieldGroups],
})

const resourceType = 'blobStorageIntegration'

export async function getIntegration(project: InProject): Promise<Integration | undefined> {
  const row = await project.select('blob_storage_integrations').selectAll().executeTakeFirst()
  return row && viewOf(row)
}

/** Sorted by project. */
export async function listIntegrations(store: Store, orgId: string): Promise<readonly Integration[]> {
  const all = instance(store)
  const projects = all.select('projects').select('id').where('org_id', '=', orgId).where('deleted_at', 'is', null)
  const query = all.select('blob_storage_integrations').selectAll().where('project_id', 'in', projects)
  return (await query.orderBy('project_id').execute()).map(viewOf)
}

/** False for a deleted project. */
export async function hasProject(store: Store, orgId: string, projectId: string): Promise<boolean> {
  const project = await inProject(store, projectId).find('projects', projectId)
  return project !== undefined && project.org_id === orgId && project.deleted_at === null
}

export interface Upsert {
  /** Returns the new settings, or throws if they are invalid. */
  readonly settings: (before: Integration | undefined) => IntegrationSettings
  /** Undefined keeps the stored secret. */
  readonly encryptedSecret: string | undefined
}

/**
 * If the integration is enabled, a changed export mode or a failed last export makes the next export start immediately. A changed export
 * mode also makes the export restart from the beginning.
 */
export const upsertIntegration = (project: InProject, by: Author, { settings, encryptedSecret }: Upsert): Promise<Integration> =>
  project.writeInTurn<Integration>(
    by,
    async rows => {
      const found = await rows.select('blob_storage_integrations').selectAll().executeTakeFirst()
      const before = found && viewOf(found)
      const set = { ...columnsOf(settings(before)), ...(encryptedSecret !== undefined && { secret_access_key: encryptedSecret }) }
      if (before === undefined) {
        const row = { ...set, next_sync_at: set.enabled ? by.at : null, ...timesAt(by.at) }
        const value = viewOf(await rows.insert('blob_storage_integrations', row).returningAll().executeTakeFirstOrThrow())
        return { value, audit: [{ resourceType, resourceId: project.projectId, action: 'create', after: value }] }
      }
      const isAnew = before.exportMode !== set.export_mode
      const isRetried = set.enabled && before.lastError !== null
      const starts = set.enabled && (isAnew || isRetried || !before.enabled || before.nextSyncAt === null)
      const changed = rows.update('blob_storage_integrations').set({
        ...set,
        ...(isAnew && { last_sync_at: null }),
        ...(isRetried && { last_error: null, last_error_at: null }),
        ...(starts && { next_sync_at: by.at }),
        updated_at: by.at,
      })
      const value = viewOf(await changed.where('project_id', '=', project.projectId).returningAll().executeTakeFirstOrThrow())
      return { value, audit: [{ resourceType, resourceId: project.projectId, action: 'update', before, after: value }] }
    },
    'blob storage',
  )

export const deleteIntegration = (project: InProject, by: Author): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    const row = await rows.delete('blob_storage_integrations').where('project_id', '=', project.projectId).returningAll().executeTakeFirst()
    if (row === undefined) return { value: false, audit: [] }
    return { value: true, audit: [{ resourceType, resourceId: project.projectId, action: 'delete', before: viewOf(row) }] }
  })
