// Counts requests that a service rejects from their headers alone. The number of spans in an unread request is unknown, so the metric
// counts requests.
import { defineMetrics } from './definition.ts'

const causes = [
  'key_missing',
  'key_unknown',
  'key_scope',
  'key_backoff',
  'relational_unavailable',
  'overloaded',
  'sdk_too_old',
  'payload_too_large',
] as const
const unreadCauses = [...causes, 'other'] as const

/** The metric that a service which accepts requests adds to its catalog. */
export const refusedUnreadMetric = <const Name extends 'gateway' | 'api'>(name: Name) =>
  defineMetrics({
    refusedUnread: {
      type: 'counter',
      name: `svc_${name}_refused_unread_total`,
      help: 'Requests refused because of their headers, before any of the body was read, by error code. key_unknown: unknown, revoked or expired key, or one of a deleted project. key_backoff: too many attempts with such a public key from one address.',
      labels: { cause: unreadCauses },
    },
  })

/** Maps an error code to the value of the label. */
export const unreadCause = (code: string): (typeof unreadCauses)[number] => causes.find(cause => cause === code) ?? 'other'
