// What a group is called on the brokers. Topics carry the deployment's prefix there; a group that did not
// would be one group of two deployments on the same brokers, and each would take partitions and positions
// from the other.

/**
 * What the design's names of groups begin with. They stay what they are in the ledger and in lag, whatever
 * the prefix is.
 */
const designPrefix = 'svc.'

/**
 * `svc.writer` under the prefix `svc.` is `svc.writer`, under `x.` it is `x.writer`; a name of another kind
 * gets the prefix before it.
 */
export const groupOnBrokers = (prefix: string, group: string): string =>
  prefix + (group.startsWith(designPrefix) ? group.slice(designPrefix.length) : group)
