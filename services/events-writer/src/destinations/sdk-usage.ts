// The table sdk_usage has the number of requests per process, SDK and day. A newer record with the same key replaces the earlier record.
import { sourcesOf } from '@svc-server/modes/flows'
import { decodeSdkUsage, type SdkUsage } from '@svc-server/schema/sdk-usage'
import type { Destination } from './destination.ts'
import type { RowEncoder } from './row-encoder.ts'

export const sdkUsage: Destination = {
  table: 'sdk_usage',
  sources: writeMode => sourcesOf('sdk_usage', writeMode),
  key: [
    { sql: 'project_id', kind: 'repeated' },
    { sql: 'day', kind: 'day' },
    { sql: 'sdk_name', kind: 'repeated' },
    { sql: 'sdk_version', kind: 'repeated' },
    { sql: 'path', kind: 'repeated' },
    { sql: 'source', kind: 'text' },
  ],
  version: 'updated_at',
  monthOf: null,
  provenance: null,
  dependent: null,
  rules: { name: 'sdkUsage', version: '1' },
  createEncoder,
}

/** The last day that ClickHouse's type Date can store. The day is in 2149. */
const lastDay = 65_535
const isStorable = ({ day, ...usage }: SdkUsage) =>
  day >= 0 && day <= lastDay && Math.min(usage.requests, usage.spans, usage.events, usage.scores, usage.lastSeenMs) >= 0

const rowOf = (usage: SdkUsage, appendedMs: number) => ({
  day: usage.day,
  project_id: usage.projectId,
  sdk_name: usage.sdkName,
  sdk_version: usage.sdkVersion,
  path: usage.path,
  source: usage.source,
  requests: usage.requests,
  spans: usage.spans,
  events: usage.events,
  scores: usage.scores,
  last_seen: usage.lastSeenMs,
  updated_at: appendedMs,
})

async function createEncoder(): Promise<RowEncoder> {
  const { sdkUsageColumns } = await import('@svc-server/schema/sdk-usage-table')
  const { createSingleRowEncoder } = await import('./single-row-encoder.ts')
  return createSingleRowEncoder(sdkUsageColumns, null, ({ timestampMs, value }) => {
    const usage = decodeSdkUsage(value)
    const { projectId, day, sdkName, sdkVersion, path, source } = usage
    if (!isStorable(usage)) return { projectId, refused: 'The day or a count is outside the range that the table can store.' }
    return { projectId, traceId: null, row: rowOf(usage, timestampMs), key: [projectId, day, sdkName, sdkVersion, path, source] }
  })
}
