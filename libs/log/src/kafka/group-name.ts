// Names a group on the brokers. Groups carry the deployment's prefix, like topics. Without the prefix, two deployments on the same brokers
// would share one group, and each would take over partitions and positions of the other.

/**
 * Prefix of every group name in this code. The ledger and the lag metrics show names with this prefix, even if the deployment uses a
 * different prefix.
 */
const designPrefix = 'svc.'

/**
 * Maps `svc.writer` to `svc.writer` under the prefix `svc.`, and to `x.writer` under `x.`. If a name does not begin with `svc.`, the prefix
 * is put in front of it.
 */
export const groupOnBrokers = (prefix: string, group: string): string =>
  prefix + (group.startsWith(designPrefix) ? group.slice(designPrefix.length) : group)
