import { expect, test } from 'vitest'
import { type RouteFacts, routeFor } from './route.ts'
import { otelBehaviours, writeModes } from './write-mode.ts'

const headers = [4, 3, 2, 0, -1, null] as const
const sdks = [
  { name: 'real-time python', sdkName: 'python', sdkVersion: '4.7.0', realTime: true },
  { name: 'real-time javascript', sdkName: 'javascript', sdkVersion: '5.4.0', realTime: true },
  { name: 'delayed python', sdkName: 'python', sdkVersion: '4.6.2', realTime: false },
  { name: 'delayed javascript', sdkName: '@svc/core', sdkVersion: '5.3.0', realTime: false },
  { name: 'unreadable version', sdkName: 'python', sdkVersion: 'unknown', realTime: false },
  { name: 'plain OpenTelemetry', sdkName: 'unknown', sdkVersion: 'unknown', realTime: false },
]

// This function uses conditions, and the tested code uses a table. A comparison of their results therefore reveals errors in the conditions
// and in the table.
function expected(mode: string, behaviour: string, header: number | null, realTime: boolean): string {
  if (mode === 'legacy') return 'direct; reason=legacy-mode'
  if (header !== null) return header === 4 ? 'direct; reason=header' : 'staging; reason=header-opt-out'
  if (realTime) return 'direct; reason=real-time-sdk'
  return `${behaviour === 'direct' ? 'direct' : 'staging'}; reason=otel-behaviour`
}

const all = writeModes.flatMap(writeMode =>
  otelBehaviours.flatMap(otelBehaviour =>
    headers.flatMap(ingestionVersion => sdks.map(sdk => ({ writeMode, otelBehaviour, ingestionVersion, ...sdk }))),
  ),
)

test('routes all 216 combinations as expected', () => {
  expect(all).toHaveLength(3 * 2 * 6 * 6)
  for (const { writeMode, otelBehaviour, ingestionVersion, sdkName, sdkVersion, realTime, name } of all) {
    const facts: RouteFacts = { writeMode, otelBehaviour, ingestionVersion, sdkName, sdkVersion }
    const { route, reason } = routeFor(facts)
    expect(`${route}; reason=${reason}`, `${writeMode} ${otelBehaviour} header ${ingestionVersion} ${name}`).toBe(
      expected(writeMode, otelBehaviour, ingestionVersion, realTime),
    )
  }
})

const facts: RouteFacts = {
  writeMode: 'dual',
  otelBehaviour: 'dual_write',
  ingestionVersion: null,
  sdkName: 'unknown',
  sdkVersion: 'unknown',
}

test('by default, spans of plain OpenTelemetry take the direct route', () => {
  expect(routeFor({ ...facts, writeMode: 'events_only', otelBehaviour: 'direct' })).toEqual({ route: 'direct', reason: 'otel-behaviour' })
})

test('header 3 stages spans even in a mode without old tables and with direct behavior', () => {
  const decision = routeFor({ ...facts, writeMode: 'events_only', otelBehaviour: 'direct', ingestionVersion: 3 })
  expect(decision).toEqual({ route: 'staging', reason: 'header-opt-out' })
})

test('header 3 from a real-time SDK is an opt-out', () => {
  expect(routeFor({ ...facts, ingestionVersion: 3, sdkName: 'python', sdkVersion: '5.0.0' }).route).toBe('staging')
})
