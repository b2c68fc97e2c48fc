import type { NewRecord } from '@svc-server/log'
import { encodeSdkUsage, type SdkUsage } from '@svc-server/schema/sdk-usage'
import { now, projectId, type SpansOptions } from './world.ts'

const dayMs = 86_400_000

export const sdkUsageOf = (more: Partial<SdkUsage> = {}): SdkUsage => ({
  projectId,
  day: Math.floor(now / dayMs),
  sdkName: 'python',
  sdkVersion: '2.60.10',
  path: 'ingestion',
  source: 'run',
  requests: 1,
  spans: 0,
  events: 2,
  scores: 0,
  lastSeenMs: now,
  ...more,
})

/** Makes usage records. Record n is for the day that contains the time `startMs + n * stepMs`. */
export const sdkUsageRecords = ({ count, startMs = now, stepMs = 1 }: SpansOptions): readonly NewRecord[] => {
  const run = Math.random().toString(36).slice(2)
  return Array.from({ length: count }, (_, at) => {
    const usage = sdkUsageOf({ source: `${run}-${at}`, day: Math.floor((startMs + at * stepMs) / dayMs) })
    return { key: null, value: encodeSdkUsage(usage), partition: 0 }
  })
}
