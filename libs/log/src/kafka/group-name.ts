// Returns the name of a group on the brokers. Like topics, groups have the deployment's prefix. Without it, two deployments on the same
// brokers would share a group, and each would take over partitions and positions of the other.

/**
 * Prefix of every group name in the code. The ledger and the lag metrics use names with this prefix, even if the deployment's prefix is
 * different.
 */
const designPrefix = 'svc.'

/**
 * Maps `svc.writer` to `svc.writer` under the prefix `svc.`, and to `x.writer` under `x.`. If a name does not begin with `svc.`, the prefix
 * is put in front of it.
 */
export const groupOnBrokers = (prefix: string, group: string): string =>
  prefix + (group.startsWith(designPrefix) ? group.slice(designPrefix.length) : group)
