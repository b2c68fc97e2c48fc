// What routes work with.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { timeWindow } from '@svc-server/otlp/time-window'
import { type BrandNames, createBrandNames } from '@svc-server/schema/brand'
import { sdkOf } from '@svc-server/schema/svc-headers'
import type { SdkUsageCounter } from '@svc-server/sdk-usage'
import type { Metrics } from '@svc-server/service/metrics'
import type { Acceptance } from '../events/acceptance.ts'
import type { CallerRequest } from '../http/endpoint.ts'
import type { apiMetrics } from '../metrics.ts'
import type { Recorder } from '../recorder.ts'
import type { ScoreConfigsOf } from '../scores/configs.ts'
import type { Planner } from '../work/planner.ts'

/** Longer ones are no environment, and would be remembered whole. */
const maxEnvironment = 4096

export interface RouteTools {
  readonly writeMode: WriteMode
  readonly planner: Planner
  readonly recorder: Recorder
  readonly configsOf: ScoreConfigsOf
  readonly metrics: Metrics<typeof apiMetrics>
  /** Of what is accepted, and of what the mode refuses. */
  readonly sdkUsage: SdkUsageCounter
  readonly environmentOf: (raw: string) => string
  acceptanceOf(request: Pick<CallerRequest, 'raw' | 'caller'>): Acceptance
  /** Times that are stored. */
  windowAt(receivedAtMs: number): ReturnType<typeof timeWindow>
}

export interface RouteToolsOptions extends Pick<RouteTools, 'writeMode' | 'planner' | 'recorder' | 'configsOf' | 'metrics' | 'sdkUsage'> {
  readonly brandAliases: readonly string[]
  readonly spanMaxAgeMonths: number
  readonly clock: () => number
  readonly ingestId: () => string
}

export function createRouteTools({ brandAliases, spanMaxAgeMonths, clock, ingestId, ...tools }: RouteToolsOptions): RouteTools {
  const brand: BrandNames = createBrandNames(brandAliases)
  const environments = createEnvironmentNames(brand)
  return {
    ...tools,
    environmentOf: raw => environments.normalized(raw.slice(0, maxEnvironment)),
    acceptanceOf({ raw, caller }) {
      const { name, version } = sdkOf(raw.headers, brand)
      return {
        projectId: caller.projectId,
        apiKey: caller.publicKey,
        sdkName: name,
        sdkVersion: version,
        writeMode: tools.writeMode,
        receivedAtMs: clock(),
        ingestId: ingestId(),
      }
    },
    windowAt: receivedAtMs => timeWindow(receivedAtMs, spanMaxAgeMonths),
  }
}
