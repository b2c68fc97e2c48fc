// Chooses the topic for a request's spans, with a reason (contract §§6, 9.3; architecture §5). The first matching rule decides.
import { newestIngestionVersion } from './ingestion-version.ts'
import { isRealTimeSdk } from './sdk.ts'
import type { OtelBehaviour, WriteMode } from './write-mode.ts'

export type Route = 'direct' | 'staging'
/** Value of the response header x-svc-route and of a metric label. */
type RouteReason = 'legacy-mode' | 'header' | 'header-opt-out' | 'real-time-sdk' | 'otel-behaviour'

export interface RouteFacts {
  readonly writeMode: WriteMode
  readonly otelBehaviour: OtelBehaviour
  /** Null without a version header. Never above 4. */
  readonly ingestionVersion: number | null
  readonly sdkName: string
  readonly sdkVersion: string
}

export interface RouteDecision {
  readonly route: Route
  readonly reason: RouteReason
}

const table: readonly (readonly [RouteReason, (facts: RouteFacts) => boolean, Route])[] = [
  // In `legacy`, all spans go to the old tables without propagation.
  ['legacy-mode', facts => facts.writeMode === 'legacy', 'direct'],
  ['header', facts => facts.ingestionVersion === newestIngestionVersion, 'direct'],
  // With an ingestion version below the newest, the client leaves the propagation of trace attributes to the server. This rule must
  // therefore come before the rules for SDKs and for `otelBehaviour`.
  ['header-opt-out', facts => facts.ingestionVersion !== null, 'staging'],
  ['real-time-sdk', facts => isRealTimeSdk(facts.sdkName, facts.sdkVersion), 'direct'],
  ['otel-behaviour', facts => facts.otelBehaviour === 'direct', 'direct'],
  ['otel-behaviour', () => true, 'staging'],
]

export function routeFor(facts: RouteFacts): RouteDecision {
  for (const [reason, applies, route] of table) if (applies(facts)) return { route, reason }
  throw new Error('The last line of the table applies to every request')
}
