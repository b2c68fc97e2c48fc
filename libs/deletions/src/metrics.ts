// What is measured of the deny list, in every process that has one.
import { defineMetrics } from '@svc-server/service/metrics'

export const denyListMetrics = defineMetrics({
  denied: {
    type: 'gauge',
    name: 'svc_deny_list_entries',
    help: 'Traces and projects that were deleted: whatever comes of them is denied.',
  },
  deniedBytes: { type: 'gauge', name: 'svc_deny_list_bytes', help: 'Memory of the deny list.' },
  denyListAge: {
    type: 'gauge',
    name: 'svc_deny_list_age_seconds',
    help: 'Time since the commands were last read to their end. Above 10 nothing is stored: something that was deleted could be among it.',
  },
  undecodableCommands: {
    type: 'counter',
    name: 'svc_deny_list_unread_total',
    help: 'Commands that could not be read: what they delete stays.',
  },
})
