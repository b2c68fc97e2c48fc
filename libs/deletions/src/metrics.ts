// Metrics of the deny list, in every process that has one.
import { defineMetrics } from '@svc-server/service/metrics'

export const denyListMetrics = defineMetrics({
  denied: {
    type: 'gauge',
    name: 'svc_deny_list_entries',
    help: 'Deleted traces and projects on the deny list. Later records of them are denied.',
  },
  deniedBytes: { type: 'gauge', name: 'svc_deny_list_bytes', help: 'Memory of the deny list in bytes.' },
  denyListAge: {
    type: 'gauge',
    name: 'svc_deny_list_age_seconds',
    help: 'Time since the deletion commands were last read to their end. Above 10 seconds the writer stores nothing, because a span could belong to a trace or project that was deleted since.',
  },
  undecodableCommands: {
    type: 'counter',
    name: 'svc_deny_list_unread_total',
    help: 'Deletion commands that could not be read. What they delete stays.',
  },
})
