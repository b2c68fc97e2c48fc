// Counts requests that a service rejects because of their headers, without reading their spans.
import { defineMetrics } from './definition.ts'

const causes = [
  'key_missing',
  'key_unknown',
  'key_scope',
  'key_backoff',
  'rate_limited',
  'relational_unavailable',
  'overloaded',
  'sdk_too_old',
  'payload_too_large',
] as const
const unreadCauses = [...causes, 'other'] as const

export const refusedUnreadMetric = <const Name extends 'gateway' | 'api'>(name: Name) =>
  defineMetrics({
    refusedUnread: {
      type: 'counter',
      name: `svc_${name}_refused_unread_total`,
      help: 'Requests that were refused because of their headers, before their body was read. The label “cause” is the error code of the response, or “other”. Some codes are: key_unknown (the key is unknown, revoked or expired, or belongs to a deleted project), key_backoff (too many attempts with one public key from one address have failed), and rate_limited (the organization exceeds a limit of SVC_RATE_LIMITS).',
      labels: { cause: unreadCauses },
    },
  })

/** Returns the value of the label `cause`. */
export const unreadCause = (code: string): (typeof unreadCauses)[number] => causes.find(cause => cause === code) ?? 'other'
