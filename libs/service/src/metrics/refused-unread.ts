// What is refused from its headers alone: nobody knows how many spans it had, so it is counted by requests.
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

/** For the catalogue of a service that takes requests, under its name. */
export const refusedUnreadMetric = <const Name extends 'gateway' | 'api'>(name: Name) =>
  defineMetrics({
    refusedUnread: {
      type: 'counter',
      name: `svc_${name}_refused_unread_total`,
      help:
        'Requests that were refused from their headers, before a byte of their body was read, by cause: the code of the error. key_unknown: unknown, ' +
        'revoked, expired or of a deleted project; key_backoff: too many of those for one public key from one address.',
      labels: { cause: unreadCauses },
    },
  })

/** The label's value for the code of an error. */
export const unreadCause = (code: string): (typeof unreadCauses)[number] => causes.find(cause => cause === code) ?? 'other'
