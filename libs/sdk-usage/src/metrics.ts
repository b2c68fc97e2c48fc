// Counts requests by SDK as metrics, for dashboards. Only language and major version are labels, so that client headers cannot create many
// series.
import { parseSdkVersion, sdkLanguage } from '@svc-server/modes/sdk'
import { defineMetrics } from '@svc-server/service/metrics'
import type { Use } from './counts.ts'

const majors = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

export const sdkMetrics = defineMetrics({
  sdkRequests: {
    type: 'counter',
    name: 'svc_sdk_requests_total',
    help: 'Requests by SDK, major version of the SDK, and path. A request whose parts take different paths is counted once for each path. The SDK is “none” if the client names no SDK, and “other” if it names an SDK of a different vendor. The path is “refused” if the write mode does not accept the request. The command svc sdks shows the complete version of each SDK, and the number of projects that use this version.',
    labels: {
      sdk: ['python', 'javascript', 'none', 'other'],
      version: [...majors, 'other'],
      path: ['direct', 'staged', 'ingestion', 'scores', 'refused'],
    },
  },
})

export function sdkSeries({ sdkName, sdkVersion, path }: Pick<Use, 'sdkName' | 'sdkVersion' | 'path'>) {
  const language = sdkLanguage(sdkName)
  if (language === null) return { sdk: sdkName === 'unknown' ? 'none' : 'other', version: 'other', path } as const
  const major = String(parseSdkVersion(sdkVersion)?.[0])
  return { sdk: language, version: majors.find(known => known === major) ?? 'other', path } as const
}
