// The name of a group on the brokers has the deployment's prefix. Without the prefix, two deployments on the same brokers would share a
// group, and take over each other's partitions.

/** The ledger and the lag metrics always use this prefix, even if the deployment's prefix is different. */
const designPrefix = 'svc.'

/**
 * With the prefix `x.`, the group `svc.writer` becomes `x.writer`. A group whose name does not begin with `svc.` gets the prefix before its
 * whole name.
 */
export const groupOnBrokers = (prefix: string, group: string): string =>
  prefix + (group.startsWith(designPrefix) ? group.slice(designPrefix.length) : group)
