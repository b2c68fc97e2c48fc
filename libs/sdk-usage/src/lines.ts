// Determines what each SDK has sent, and which upgrade it needs.
import type { ColumnStore } from '@svc-server/column-store/port'
import { sdkToGoTo } from '@svc-server/modes/sdk'
import type { UsagePath } from '@svc-server/schema/sdk-usage'

interface Row {
  readonly sdk_name: string
  readonly sdk_version: string
  readonly path: UsagePath
  readonly requests: string
  readonly spans: string
  readonly events: string
  readonly scores: string
  readonly projects: string
  readonly ids: readonly string[]
  readonly last_ms: string
}

export interface SdkLine {
  readonly sdk: string
  readonly version: string
  readonly path: UsagePath
  readonly requests: number
  readonly spans: number
  readonly events: number
  readonly scores: number
  readonly projects: number
  readonly projectIds: readonly string[]
  readonly lastSeen: string
  /** The SDK upgrade that is required before the switch to events_only. Null if no upgrade is required. */
  readonly move: string | null
}

export const maxLines = 10_000
/** Returns the counts since a day (YYYY-MM-DD), sorted by SDK, version, and path. */
export async function sdkLines(columnStore: Pick<ColumnStore, 'query'>, since: string, byProject: boolean): Promise<readonly SdkLine[]> {
  const rows = await columnStore.query<Row>(
    `SELECT sdk_name, sdk_version, path, sum(sdk_usage.requests) AS requests, sum(sdk_usage.spans) AS spans, sum(sdk_usage.events) AS events,
       sum(sdk_usage.scores) AS scores, uniqExact(project_id) AS projects, arraySort(groupUniqArray(100)(project_id)) AS ids,
       toUnixTimestamp64Milli(max(last_seen)) AS last_ms
     FROM sdk_usage FINAL WHERE day >= toDate({since:String})
     GROUP BY sdk_name, sdk_version, path${byProject ? ', project_id' : ''}
     ORDER BY sdk_name, sdk_version, path, ids LIMIT ${maxLines}`,
    { since },
  )
  return rows.map(row => ({
    sdk: row.sdk_name,
    version: row.sdk_version,
    path: row.path,
    requests: Number(row.requests),
    spans: Number(row.spans),
    events: Number(row.events),
    scores: Number(row.scores),
    projects: Number(row.projects),
    projectIds: row.ids,
    lastSeen: new Date(Number(row.last_ms)).toISOString(),
    move: moveOf(row),
  }))
}

/**
 * Returns the required upgrade, or null. The SDK determines the upgrade. If the SDK is unknown, the path of its data determines the
 * upgrade. Scores need no upgrade, because every mode accepts them from any SDK.
 */
function moveOf({ sdk_name, sdk_version, path, events }: Row): string | null {
  if (path === 'scores' || (path === 'ingestion' && Number(events) === 0)) return null
  const goTo = sdkToGoTo(sdk_name, sdk_version)
  if (goTo !== undefined) return goTo
  return path === 'refused' || path === 'ingestion' ? 'an SDK that sends OpenTelemetry spans' : null
}
