import { loadSettings } from '@svc-server/service/configuration'
import { expect, test } from 'vitest'
import { otlpGateway } from '../src/service.ts'
import { gatewayConfig, gatewayVariables } from '../src/settings.ts'

const load = (env: Record<string, string>) =>
  loadSettings([gatewayVariables], env, { service: 'otlp-gateway', validate: otlpGateway.problems }).of(gatewayVariables)

test('the defaults match the design', () => {
  expect(gatewayConfig(load({}))).toMatchObject({
    writeMode: 'events_only',
    otelBehaviour: 'direct',
    maxBodyBytes: 64 * 1024 * 1024,
    logAckTimeoutMs: 4000,
    spanMaxAgeMonths: 36,
  })
})

test.each([
  [{ SVC_SPAN_MAX_AGE_MONTHS: '97' }, /SVC_SPAN_MAX_AGE_MONTHS="97": expected a whole number, from 1 to 96/],
  [{ SVC_SPAN_MAX_AGE_MONTHS: '0' }, /SVC_SPAN_MAX_AGE_MONTHS/],
  [{ SVC_MIGRATION_V4_WRITE_MODE: 'legacy' }, /SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR=dual_write/],
  [{ SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }, /set SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR=direct/],
  [{ SVC_MAX_INFLIGHT_BYTES_PER_PROJECT: '1MiB' }, /SVC_MAX_INFLIGHT_BYTES_PER_PROJECT is less than SVC_MAX_BODY_BYTES/],
  [{ SVC_MAX_INFLIGHT_BYTES_PER_PROJECT: '129MiB' }, /SVC_MAX_INFLIGHT_BYTES_PER_PROJECT is more than half of SVC_MAX_INFLIGHT_BYTES/],
  [{ SVC_MAX_INFLIGHT_BYTES: '127MiB' }, /SVC_MAX_INFLIGHT_BYTES is less than twice SVC_MAX_BODY_BYTES/],
  [{ SVC_MAX_BODY_BYTES: 'much' }, /SVC_MAX_BODY_BYTES="much": expected a number of bytes/],
])('%j stops the start with an error message', (env, sentence) => expect(() => load(env as Record<string, string>)).toThrow(sentence))
