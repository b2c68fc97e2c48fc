import { defineMetrics } from '@svc-server/service/metrics'

export const denyListMetrics = defineMetrics({
  denied: {
    type: 'gauge',
    name: 'svc_deny_list_entries',
    help: 'Deleted traces and projects on the deny list. Later records of a deleted trace or project are denied.',
  },
  deniedBytes: { type: 'gauge', name: 'svc_deny_list_bytes', help: 'Memory of the deny list in bytes.' },
  denyListAge: {
    type: 'gauge',
    name: 'svc_deny_list_age_seconds',
    help: 'Time since this process last read the deletion commands to the end of their topic. If the deny list of an events-writer is older than 10 seconds, this writer stores nothing, because it could otherwise store spans of a recently deleted trace or project.',
  },
  undecodableCommands: {
    type: 'counter',
    name: 'svc_deny_list_unread_total',
    help: 'Deletion commands that the process could not read. The process ignores such a command, so the data that the command should delete can remain.',
  },
})
