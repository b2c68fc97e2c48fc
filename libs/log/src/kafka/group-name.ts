// Returns the name of a group on the brokers. Like topics, groups have the deployment's prefix. Without the prefix, two deployments on the
// same brokers would share a group, and each would take over partitions and positions of the other.

/**
 * Prefix of every group name in the code. The ledger and the lag metrics always use the prefix `svc.`, even if the deployment's prefix is
 * different.
 */
const designPrefix = 'svc.'

/**
 * For the group `svc.writer`, returns `svc.writer` if the prefix is `svc.`, and `x.writer` if the prefix is `x.`. If a name does not begin
 * with `svc.`, the deployment's prefix is prepended to it.
 */
export const groupOnBrokers = (prefix: string, group: string): string =>
  prefix + (group.startsWith(designPrefix) ? group.slice(designPrefix.length) : group)
